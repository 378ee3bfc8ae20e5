import { BY_NAME, contains, type Declaration, type EntityType, equals, fieldsOf, Reads } from '../reads/index.js'

/** What a list of reference records can be confined to. */
export interface ReferenceFilter {
  search?: string | null
  isActive?: boolean | null
}

const search = contains((of) => of('name_key'))

/** The reads of records that have names, by which they are listed and looked up. */
export function referenceReads<Row extends { id: string }>(
  entity: EntityType<Row>,
  further: Partial<Declaration<Row, string>> = {},
): Reads<Row, ReferenceFilter> {
  const isListedByUse = fieldsOf(entity).some(({ name }) => name === 'isActive')
  const filters = { search, ...(isListedByUse && { isActive: equals('isActive') }) }
  return new Reads({ entity, sorts: { name: BY_NAME }, ascending: true, filters, ...further })
}
