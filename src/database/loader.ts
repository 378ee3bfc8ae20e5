import DataLoader from 'dataloader'
import { isUuid } from '../shared/ids.js'
import type { Context } from './context.js'
import type { Statement } from './statement.js'

type Identified = { id: string }

/**
 * Makes loaders of records by id out of a statement that finds those of `ids`: one run of it for all that a request
 * reaches, null where the account has none of an id.
 */
export function loaderOf<Row extends Identified>(statement: Statement<Row>) {
  return batched<Row, Row | null>(statement, (row) => row ?? null)
}

/** The same for something that belongs to records, as `value`; `none` where the account has no record of an id. */
export function partLoaderOf<Value>(statement: Statement<Identified & { value: Value }>, none: Value) {
  return batched(statement, (row) => (row ? row.value : none))
}

function batched<Row extends Identified, Loaded>(statement: Statement<Row>, loadedOf: (row?: Row) => Loaded) {
  return ({ db }: Context): DataLoader<string, Loaded> =>
    new DataLoader(async (ids) => {
      const rows = await db.rows(statement, { ids: ids.filter(isUuid) })
      const found = new Map(rows.map((row) => [row.id, row]))
      return ids.map((id) => loadedOf(found.get(id.toLowerCase())))
    })
}
