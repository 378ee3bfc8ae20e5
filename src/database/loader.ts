import DataLoader from 'dataloader'
import { type RawBuilder, sql } from 'kysely'
import { isUuid } from '../shared/ids.js'
import type { Context } from './context.js'
import { param, Statement } from './statement.js'

type Identified = { id: string }

/**
 * Makes loaders of records by id out of a statement that finds those of `ids`: one run of it for all that a request
 * reaches, null where the account has none of an id.
 */
export function loaderOf<Row extends Identified>(statement: Statement<Row>) {
  return batched<Row, Row | null>(statement, (row) => row ?? null)
}

/**
 * The same for something that belongs to the records of a table, an expression over one of them by the alias; `none` where
 * the account has no record of an id.
 */
export function partLoaderOf<Value>(table: string, alias: string, value: RawBuilder<unknown>, none: Value) {
  type Row = Identified & { value: Value }
  const [id, account] = ['id', 'account_id'].map((column) => sql.ref(`${alias}.${column}`))
  const query = sql<Row>`select ${id}, ${value} as value from ${sql.table(table)} as ${sql.ref(alias)}
    where ${account} = ${param('account')} and ${id} = any(${param('ids')}::uuid[])`
  return batched(new Statement<Row>(query, { prepared: true }), (row) => (row ? row.value : none))
}

function batched<Row extends Identified, Loaded>(statement: Statement<Row>, loadedOf: (row?: Row) => Loaded) {
  return ({ db }: Context): DataLoader<string, Loaded> =>
    new DataLoader(async (ids) => {
      const rows = await db.rows(statement, { ids: ids.filter(isUuid) })
      const found = new Map(rows.map((row) => [row.id, row]))
      return ids.map((id) => loadedOf(found.get(id.toLowerCase())))
    })
}
