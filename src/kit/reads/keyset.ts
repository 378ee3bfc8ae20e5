import { type RawBuilder, sql } from 'kysely'
import { param } from '../../database/index.js'
import type { ColumnRef } from './filter.js'
import type { Order } from './sort.js'

/** Where in an order a list goes on: after a record with these sort values and this id. */
export interface Place {
  /** The values of the columns that the list is sorted by, as the API spells them. */
  values: readonly (string | number | null)[]
  id: string
}

/** Whether a list begins at its top, or after a place; and whether that is among the records without a sort value. */
export type Start = 'top' | 'after' | 'afterNull'

/** The values of a place, by the names under which `afterPlace` asks for them. */
export function placeValues({ values, id }: Place): Record<string, unknown> {
  return { place0: values[0], place1: values[1], placeId: id }
}

/** The start that a place means. */
export const startOf = (place: Place | undefined): Start =>
  place === undefined ? 'top' : place.values[0] === null ? 'afterNull' : 'after'

/**
 * The records after a place, as conditions of which one holds: each of them is a range of the order's index. Those
 * without a sort value come last, whatever the direction.
 */
export function afterPlace(order: Order, start: Exclude<Start, 'top'>, of: ColumnRef): RawBuilder<boolean>[] {
  const beyond = sql.raw(order.descending ? '<' : '>')
  const columns = [order.column, ...(order.second ? [order.second] : [])]
  const row = (names: readonly string[]) => sql`(${sql.join([...names, 'id'].map(of))})`
  const isNull = sql<boolean>`${of(order.column)} is null`
  if (start === 'afterNull') {
    const [, ...further] = columns
    const values = [...further.map(() => param('place1')), param('placeId')]
    return [sql<boolean>`(${isNull} and ${row(further)} ${beyond} (${sql.join(values)}))`]
  }
  const values = [...columns.map((_, i) => param(`place${i}`)), param('placeId')]
  const after = sql<boolean>`${row(columns)} ${beyond} (${sql.join(values)})`
  return order.nullable ? [after, isNull] : [after]
}
