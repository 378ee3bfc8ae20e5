import DataLoader from 'dataloader'
import { sql } from 'kysely'
import { type Context, loaderOf, param, Statement } from '../../database/index.js'
import { type OpportunityRow, PARTS, type Part, type PartValues, WHOLE_SHAPE } from './opportunity.columns.js'

const statement = new Statement<OpportunityRow>(
  sql<OpportunityRow>`select ${sql.join(WHOLE_SHAPE.columns)} from opportunity o ${WHOLE_SHAPE.joins}
    where o.account_id = ${param('account')} and o.id = any(${param('ids')}::uuid[])`,
  { prepared: true },
)

/** A loader of opportunities by id, with all but what belongs to them. */
export const opportunityLoader = loaderOf(statement)

/** A loader of one part of opportunities that were reached without it: one statement for all of them. */
function partLoader<P extends Part>(part: P) {
  type Row = { id: string; value: PartValues[P] }
  const parts = new Statement<Row>(
    sql<Row>`select o.id, ${PARTS[part]} as value from opportunity o
      where o.account_id = ${param('account')} and o.id = any(${param('ids')}::uuid[])`,
    { prepared: true },
  )
  return ({ db }: Context): DataLoader<string, PartValues[P]> =>
    new DataLoader(async (ids) => {
      const values = new Map((await db.rows(parts, { ids })).map(({ id, value }) => [id, value]))
      return ids.map((id) => values.get(id) as PartValues[P])
    })
}

export const opportunityProductsLoader = partLoader('products')
export const opportunityCommentsLoader = partLoader('comments')
