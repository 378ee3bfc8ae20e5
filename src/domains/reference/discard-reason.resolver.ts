import { referenceResolver } from '../../kit/reference/index.js'
import { DiscardReason } from './discard-reason.entity.js'
import { CreateDiscardReasonInput, UpdateDiscardReasonInput } from './discard-reason.inputs.js'
import { discardReasonReads } from './records.reads.js'
import { discardReasonWrites } from './records.service.js'

/** Lists and manages discard reasons. */
export const DiscardReasonResolver = referenceResolver({
  entity: DiscardReason,
  inputs: { create: CreateDiscardReasonInput, update: UpdateDiscardReasonInput },
  reads: discardReasonReads,
  writes: discardReasonWrites,
  fields: { one: 'discardReason', many: 'discardReasons' },
  words: { one: 'discard reason', many: 'discard reasons' },
  permissions: { read: 'discard_reasons:read' },
  uniqueName: true,
  says: { order: 'in their display order, then by name' },
})
