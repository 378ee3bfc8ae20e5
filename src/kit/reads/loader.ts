import DataLoader from 'dataloader'
import { type RawBuilder, sql } from 'kysely'
import { type Context, Statement } from '../../database/index.js'
import { isUuid } from '../../shared/ids.js'
import { manyByIds } from './forms/single.js'

type Identified = { id: string }

/** Makes a request's loader. The function itself tells one kind of loader from another. */
export type LoaderOf<Loaded> = (context: Context) => DataLoader<string, Loaded>

/**
 * Makes loaders of records by id out of a statement that finds those of `ids`: one run of it for all that a request
 * reaches, null where the account has none of an id.
 */
export function recordLoader<Row extends Identified>(statement: Statement<Row>): LoaderOf<Row | null> {
  return batched(statement, (row) => row ?? null)
}

/** The same for something that belongs to the records of a table; `none` where the account has no record of an id. */
export function childLoader<Value>(table: string, value: RawBuilder<unknown>, none: Value): LoaderOf<Value> {
  type Row = Identified & { value: Value }
  const query = manyByIds(table, { columns: [sql`r.id`, sql`${value} as value`], joins: sql`` })
  const statement = new Statement(query as RawBuilder<Row>, { prepared: true })
  return batched(statement, (row) => (row ? row.value : none))
}

function batched<Row extends Identified, Loaded>(
  statement: Statement<Row>,
  loadedOf: (row?: Row) => Loaded,
): LoaderOf<Loaded> {
  return ({ db }) =>
    new DataLoader(async (ids) => {
      const rows = await db.rows(statement, { ids: ids.filter(isUuid) })
      const found = new Map(rows.map((row) => [row.id, row]))
      return ids.map((id) => loadedOf(found.get(id.toLowerCase())))
    })
}
