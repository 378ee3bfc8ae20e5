import { columnOf } from '../../database/index.js'
import { type EntityType, fieldOf } from './fields.js'

/** What a list can be sorted by: a column of its table. */
export interface Sort {
  column: string
  nullable: boolean
  /** A further column, never null, that decides between equal ones before the id does. */
  second?: string
}

/** A sort, and its direction. */
export interface Order extends Sort {
  descending: boolean
}

/** What a declaration says of a sort: the property, or the property whose text counts without case and accents. */
export type SortSource = string | { text: string } | Sort

/** The name without case and accents, in which the list of a catalogue comes. */
export const BY_NAME: Sort = { column: 'name_key', nullable: false }

/** The column that a list is sorted by. That of a text without case and accents is kept beside it. */
export function sortOf(entity: EntityType, source: SortSource): Sort {
  if (typeof source === 'string') {
    const { column, nullable } = fieldOf(entity, source)
    return { column, nullable }
  }
  if (!('text' in source)) return source
  return { column: `${columnOf(source.text)}_key`, nullable: fieldOf(entity, source.text).nullable }
}
