import { type RawBuilder, sql } from 'kysely'
import { columnOf, param, type Tally, tableOf } from '../../database/index.js'
import { type EntityType, fieldOf, jsonOf, tableOfEntity } from './fields.js'
import type { ColumnRef } from './filter.js'

/** Something that belongs to a record and is read along with it, in the same statement, where it is asked for. */
export interface Child<Value = unknown> {
  /** The value, as an expression over the record. */
  value(of: ColumnRef): RawBuilder<unknown>
  /** What a record has that has nothing. */
  none: Value
  /** The value as a viewer sees it who sees only their own, where that is another. */
  own?(of: ColumnRef): RawBuilder<unknown>
  /** How a page reads it when many of its records have the same. */
  spread?: Spread
  /** What a page tells of a kept total that it was added up from. */
  differences?: { tally: Tally; value(of: ColumnRef): RawBuilder<unknown> }
}

/** The children of a kind that the records of a page carry: each record has their ids, the page has them once. */
export interface Spread {
  ids(of: ColumnRef): RawBuilder<unknown>
  /** All that the records with these ids carry, as a JSON list in their order. */
  all(recordIds: RawBuilder<unknown>): RawBuilder<unknown>
}

const NOTHING = sql.lit('[]')
const list = (entity: EntityType, alias: string, order: readonly string[]) =>
  sql`coalesce(json_agg(${jsonOf(entity, alias)} order by ${sql.join(
    order.map((column) => sql.ref(`${alias}.${column}`)),
  )}), ${NOTHING})`

/** Records that refer to this one by a property of theirs, in the order of further properties and then of their ids. */
export function owned<Value>(entity: EntityType, by: string, ...order: string[]): Child<Value[]> {
  const columns = [...order, 'id'].map((name) => fieldOf(entity, name).column)
  const value = (of: ColumnRef) => sql`(select ${list(entity, 'x', columns)}
    from ${sql.table(tableOfEntity(entity))} x
    where x.account_id = ${of('account_id')} and ${sql.ref(`x.${fieldOf(entity, by).column}`)} = ${of('id')})`
  return { value, none: [] }
}

/** Records that a table links with this one, by their names without regard to case and accents. */
export function linked<Value>(entity: EntityType, link: EntityType, from: string, to: string): Child<Value[]> {
  const [left, right] = [from, to].map((name) => `l.${columnOf(name)}_id`) as [string, string]
  const links = sql`${sql.table(tableOfEntity(link))} l`
  const table = sql.table(tableOfEntity(entity))
  return {
    value: (of) => sql`(select ${namedList(entity, 'x')}
      from ${links} join ${table} x on x.id = ${sql.ref(right)} where ${sql.ref(left)} = ${of('id')})`,
    none: [],
    spread: {
      ids: (of) =>
        sql`(select string_agg(${sql.ref(right)}::text, ',') from ${links} where ${sql.ref(left)} = ${of('id')})`,
      all: (recordIds) => sql`(select ${namedList(entity, 'x')} from ${table} x
        where x.account_id = ${param('account')} and x.id = any(array(
          select distinct ${sql.ref(right)} from ${links} where ${sql.ref(left)} in (${recordIds}))))`,
    },
  }
}

/** Rows of an entity under this alias as a JSON list, by their names without regard to case and accents. */
export const namedList = (entity: EntityType, alias: string): RawBuilder<unknown> =>
  list(entity, alias, ['name_key', 'id'])

/** Anything that follows from a record and what is around it. */
export function computed<Value>(value: Child['value'], none: Value): Child<Value> {
  return { value, none }
}

/** How many rows a tally counts for a record, which is the dimension of this name. */
export function tallied(tally: Tally, dimension: string): Child<number> {
  const read = (value: RawBuilder<unknown>) => (of: ColumnRef) =>
    sql`(select ${value}
    from ${sql.table(tableOf(tally))} k
    where k.account_id = ${of('account_id')} and ${sql.ref(`k.${dimension}`)} = ${of('id')})`
  return {
    value: read(sql`coalesce(sum(k.n), 0)::int`),
    none: 0,
    differences: { tally, value: read(sql`(count(*) filter (where k.fresh))::int`) },
  }
}
