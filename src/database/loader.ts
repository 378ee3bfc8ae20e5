import DataLoader from 'dataloader'
import { isUuid } from '../shared/ids.js'
import type { Context } from './context.js'
import type { Statement } from './statement.js'

/**
 * Makes loaders of records by id out of a statement that finds those of `ids`: one run of it for all that a request
 * reaches, null where the account has none of an id.
 */
export function loaderOf<Row extends { id: string }>(statement: Statement<Row>) {
  return ({ db }: Context): DataLoader<string, Row | null> =>
    new DataLoader(async (ids) => {
      const rows = await db.rows(statement, { ids: ids.filter(isUuid) })
      const found = new Map(rows.map((row) => [row.id, row]))
      return ids.map((id) => found.get(id.toLowerCase()) ?? null)
    })
}
