import DataLoader from 'dataloader'
import { type RawBuilder, sql } from 'kysely'
import { type Context, Statement } from '../../database/index.js'
import { isUuid } from '../../shared/ids.js'
import type { Child } from './child.js'
import { manyByIds } from './forms/single.js'
import { isConfined, ownCondition } from './own.js'
import { own, type RecordType } from './record.js'

type Identified = { id: string }

/** Makes a request's loader. The function itself tells one kind of loader from another. */
export type LoaderOf<Loaded> = (context: Context) => DataLoader<string, Loaded>

/** The statement of a loader: of all records of the account, or of those alone that are the viewer's own. */
type StatementFor<Row> = (confined: boolean) => Statement<Row>

/**
 * Makes loaders of records by id out of a statement that finds those of `ids`: one run of it for all that a request
 * reaches, null where the viewer sees none of an id.
 */
export function recordLoader<Row extends Identified>(make: StatementFor<Row>): LoaderOf<Row | null> {
  return batched(make, (row) => row ?? null)
}

/** The same for something that belongs to a record; `none` where the viewer sees no record of an id. */
export function childLoader<Value>(record: RecordType, child: Child<Value>): LoaderOf<Value> {
  type Row = Identified & { value: Value }
  const make = (confined: boolean) => {
    const value = confined && child.own ? child.own(own) : child.value(own)
    const shape = { columns: [sql`r.id`, sql`${value} as value`], joins: sql`` }
    const query = manyByIds(record, shape, confined ? ownCondition(record.entity, own) : [])
    return new Statement(query as RawBuilder<Row>, { prepared: true })
  }
  return batched(make, (row) => (row ? row.value : child.none))
}

function batched<Row extends Identified, Loaded>(
  make: StatementFor<Row>,
  loadedOf: (row?: Row) => Loaded,
): LoaderOf<Loaded> {
  const all = make(false)
  let confined: Statement<Row> | undefined
  return ({ db }) =>
    new DataLoader(async (ids) => {
      if (isConfined(db)) confined ??= make(true)
      const statement = isConfined(db) ? confined! : all
      const rows = await db.rows(statement, { ids: ids.filter(isUuid) })
      const found = new Map(rows.map((row) => [row.id, row]))
      return ids.map((id) => loadedOf(found.get(id.toLowerCase())))
    })
}
