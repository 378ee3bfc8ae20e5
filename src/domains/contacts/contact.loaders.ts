import DataLoader from 'dataloader'
import { sql } from 'kysely'
import { type Context, loaderOf, param, Statement } from '../../database/index.js'
import { ALL_SCALARS, type ContactRow, contactColumns, PARTS, type Part, type PartValues } from './contact.columns.js'

/** A loader of one part of contacts that were reached without it: one statement for all of them. */
function partLoader<P extends Part>(part: P) {
  type Row = { id: string; value: PartValues[P] }
  const statement = new Statement<Row>(
    sql<Row>`select c.id, ${PARTS[part]} as value from contact c
      where c.account_id = ${param('account')} and c.id = any(${param('ids')}::uuid[])`,
    { prepared: true },
  )
  return ({ db }: Context): DataLoader<string, PartValues[P]> =>
    new DataLoader(async (ids) => {
      const rows = await db.rows(statement, { ids })
      const values = new Map(rows.map(({ id, value }) => [id, value]))
      return ids.map((id) => values.get(id) as PartValues[P])
    })
}

export const contactTagsLoader = partLoader('tags')
export const contactNotesLoader = partLoader('notes')
export const contactAttributionLoader = partLoader('attribution')

const byId = new Statement<ContactRow>(
  sql<ContactRow>`select ${sql.join(contactColumns(ALL_SCALARS))} from contact c
    where c.account_id = ${param('account')} and c.id = any(${param('ids')}::uuid[])`,
  { prepared: true },
)

/** A loader of contacts by id. */
export const contactLoader = loaderOf(byId)
