import { type RawBuilder, sql } from 'kysely'
import { param, type Scope } from '../../database/index.js'
import type { EntityType } from './fields.js'
import type { ColumnRef, Filter } from './filter.js'

/** The name of the filter that confines a list to what is the viewer's own. No input has a field of this name. */
export const OWN = 'ownerScope'

/**
 * A table that has the keys of what is each seller's own in some orders of the list, with an index of each: a select of
 * them, under the names of the record's columns, with the account and the columns that the condition names. The orders'
 * columns must never be empty.
 */
export interface OwnList<By extends string = string> {
  source: RawBuilder<unknown>
  by: readonly By[]
  condition: Filter['condition']
}

/** What is a seller's own of a record, by entity: reads that lead there from elsewhere ask for it. */
const declared = new Map<EntityType, Filter>()

/** Declares what is a seller's own of an entity. */
export function declareOwn(entity: EntityType, own: Filter): void {
  declared.set(entity, own)
}

/** Whether sellers see only their own records of an entity. */
export const hasOwn = (entity: EntityType): boolean => declared.has(entity)

/** Whether a viewer sees only what is theirs. */
export const isConfined = ({ viewer }: Scope): boolean => viewer.ownerScope !== undefined

/** That a record is the viewer's own, where that confines them; the scope gives the statement the viewer. */
export function ownCondition(entity: EntityType, of: ColumnRef): RawBuilder<boolean>[] {
  const own = declared.get(entity)
  return own ? [own.condition(of, sql`${param(OWN)}`)] : []
}
