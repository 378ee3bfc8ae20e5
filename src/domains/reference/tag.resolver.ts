import { referenceResolver } from '../../kit/reference/index.js'
import { tagReads } from './records.reads.js'
import { tagWrites } from './records.service.js'
import { Tag } from './tag.entity.js'
import { CreateTagInput, UpdateTagInput } from './tag.inputs.js'

/** Lists and manages tags. */
export const TagResolver = referenceResolver({
  entity: Tag,
  inputs: { create: CreateTagInput, update: UpdateTagInput },
  reads: tagReads,
  writes: tagWrites,
  fields: { one: 'tag', many: 'tags' },
  words: { one: 'tag', many: 'tags' },
  permissions: { read: 'tags:read', create: 'tags:write' },
  uniqueName: true,
  says: {
    update: ', and thereby the contacts that carry it.',
    delete: ', and takes it off the contacts that carry it.',
  },
})
