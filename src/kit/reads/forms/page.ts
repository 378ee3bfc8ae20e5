import { type RawBuilder, sql } from 'kysely'
import { param } from '../../../database/index.js'
import type { Order } from '../sort.js'

/** How many records there are in all, and from how many differences that was added up. */
export type Counted = {
  total: number
  differences: number
  /** How many of them come after the start of the page, where that was asked for. */
  remaining?: number
}

/** What a page has once, with its first record alone: what its list adds up to, and what its records share, by name. */
export interface Once {
  counted?: Counted
  shared?: Readonly<Record<string, unknown>>
}

/** A JSON value that is made once for all records of a page, out of the page's values of columns. */
export type OncePerPage = (valuesOf: (column: string) => RawBuilder<unknown>) => RawBuilder<unknown>

/** Everything of a page's statement but the values. */
export interface PageParts {
  table: string
  /** What holds of each record `r`: to be of the account, and the conditions that were asked for. */
  conditions: readonly RawBuilder<boolean>[]
  order: Order
  /** Conditions of which one holds of each record after the place where the page begins; none at the top of the list. */
  after: readonly RawBuilder<boolean>[]
  columns: readonly RawBuilder<unknown>[]
  /** Joined to the records of the page alone, for the columns. They must neither drop nor double a record. */
  joins: RawBuilder<unknown>
  /** What the records share: see Once. */
  shared?: OncePerPage
  /** A select of what the whole list adds up to; a page that follows a cursor needs none. */
  total?: RawBuilder<Counted>
  /** What asks for the latest records: see Filter. */
  recent?: Recent
  /** What is stored of the page's last record, which this selects as `at` and `id`. */
  kept?: (end: RawBuilder<unknown>) => RawBuilder<unknown>
}

/** The latest records of the account: by a column with an index, those within the bounds. */
export interface Recent {
  column: string
  bounds: readonly RawBuilder<boolean>[]
}

export const LIMIT = sql`limit ${param('limit')}`

/** The order of a list, over rows under this alias: nulls last both ways, and ties in the same direction. */
export function orderBy({ column, second, descending, nullable }: Order, alias: string): RawBuilder<unknown> {
  const tie = sql.raw(descending ? 'desc' : 'asc')
  const direction = sql.raw(descending && nullable ? 'desc nulls last' : descending ? 'desc' : 'asc')
  const ties = [...(second ? [second] : []), 'id'].map((name) => sql`${sql.ref(`${alias}.${name}`)} ${tie}`)
  return sql`order by ${sql.ref(`${alias}.${column}`)} ${direction}, ${sql.join(ties)}`
}

/** The columns of `r` that say where it stands in the order. */
export function keysOf({ column, second }: Order): RawBuilder<unknown> {
  const names = [...new Set(['id', column, ...(second ? [second] : [])])]
  return sql.join(names.map((name) => sql.ref(`r.${name}`)))
}

/** That one of the conditions holds. */
export const anyOf = (conditions: readonly RawBuilder<boolean>[]): RawBuilder<boolean> =>
  sql`(${sql.join(conditions, sql` or `)})`

/** The records `r` of a table, or of a select, that meet all conditions. */
export function recordsWhere(
  source: string | RawBuilder<unknown>,
  conditions: readonly RawBuilder<boolean>[],
): RawBuilder<unknown> {
  return sql`from ${typeof source === 'string' ? sql.table(source) : source} as r where ${sql.join(conditions, sql` and `)}`
}

/** What goes out: the columns of the page's records, and with the first of them what is the same for all. */
export function output(
  { order, columns, joins, shared, total }: PageParts,
  records: RawBuilder<unknown>,
  valuesOf: (column: string) => RawBuilder<unknown>,
): RawBuilder<unknown> {
  const first = sql`(select first.id from page first ${orderBy(order, 'first')} limit 1)`
  const members = [
    ...(total ? [sql.lit('counted'), sql`row_to_json(counted)`] : []),
    ...(shared ? [sql.lit('shared'), shared(valuesOf)] : []),
  ]
  const once = sql`case when r.id = ${first} then json_build_object(${sql.join(members)}) end as once`
  const all = members.length > 0 ? [...columns, once] : columns
  const counted = total ? sql`, counted` : sql``
  return sql`select ${sql.join(all)} from ${records} ${joins} ${counted} ${orderBy(order, 'r')}`
}

/** The parts of a statement that count, and that store where the page ends, where one does. */
export function aside({ total, kept, order }: PageParts): RawBuilder<unknown> {
  const at = sql.ref(`page.${order.column}`)
  const end = sql`select ${at} as at, page.id from page ${orderBy({ ...order, descending: !order.descending }, 'page')} limit 1`
  return sql`${total ? sql`, counted as (${total})` : sql``} ${kept ? sql`, kept as (${kept(end)})` : sql``}`
}

/** The records `r` of a page that has only their keys. */
export const byKeys = (table: string): RawBuilder<unknown> => sql`page join ${sql.table(table)} as r on r.id = page.id`

/** A column of the records of a page that has only their keys, as a sub-select. */
export const columnByKeys =
  (table: string) =>
  (column: string): RawBuilder<unknown> =>
    column === 'id'
      ? sql`select page.id from page`
      : sql`select ${sql.ref(`x.${column}`)} from page join ${sql.table(table)} as x on x.id = page.id`
