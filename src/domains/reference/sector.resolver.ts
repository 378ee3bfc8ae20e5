import { referenceResolver } from '../../kit/reference/index.js'
import { sectorReads } from './records.reads.js'
import { sectorWrites } from './records.service.js'
import { Sector } from './sector.entity.js'
import { CreateSectorInput, UpdateSectorInput } from './sector.inputs.js'

/** Lists and manages sectors. */
export const SectorResolver = referenceResolver({
  entity: Sector,
  inputs: { create: CreateSectorInput, update: UpdateSectorInput },
  reads: sectorReads,
  writes: sectorWrites,
  fields: { one: 'sector', many: 'sectors' },
  words: { one: 'sector', many: 'sectors' },
  permissions: { read: 'sectors:read' },
  uniqueName: true,
})
