import { type RawBuilder, sql } from 'kysely'
import { param } from '../../../database/index.js'
import type { RecordType } from '../record.js'
import type { Shape } from '../shape.js'

/** Where records are read from, and which of them are the viewer's. */
type Source = Pick<RecordType, 'table' | 'mine'>

/** The account's record of an id: `select r.id as id, r.name as name from tag as r where r.account_id = $1 and r.id = $2` */
export function oneById({ table, mine }: Source, { columns, joins }: Shape, kept: readonly RawBuilder<boolean>[]) {
  return reading(table, columns, joins, [mine, sql`r.id = ${param('id')}`, ...kept])
}

/** The account's records of some ids, deleted ones among them: `… where r.account_id = $1 and r.id = any($2::uuid[])` */
export function manyByIds(
  { table, mine }: Source,
  { columns, joins }: Pick<Shape, 'columns' | 'joins'>,
  kept: readonly RawBuilder<boolean>[] = [],
): RawBuilder<unknown> {
  return reading(table, columns, joins, [mine, sql`r.id = any(${param('ids')}::uuid[])`, ...kept])
}

/** All records of the account in an order, for lists that have no pages. */
export function all(
  { table, mine }: Source,
  { columns, joins }: Shape,
  order: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`${reading(table, columns, joins, [mine])} ${order}`
}

function reading(
  table: string,
  columns: readonly RawBuilder<unknown>[],
  joins: RawBuilder<unknown>,
  conditions: readonly RawBuilder<boolean>[],
) {
  return sql`select ${sql.join(columns)} from ${sql.table(table)} as r ${joins}
    where ${sql.join(conditions, sql` and `)}`
}
