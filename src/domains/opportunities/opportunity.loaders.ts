import { sql } from 'kysely'
import { loaderOf, param, partLoaderOf, Statement } from '../../database/index.js'
import { type OpportunityRow, PARTS, type Part, type PartValues, WHOLE_SHAPE } from './opportunity.columns.js'

const statement = new Statement<OpportunityRow>(
  sql<OpportunityRow>`select ${sql.join(WHOLE_SHAPE.columns)} from opportunity o ${WHOLE_SHAPE.joins}
    where o.account_id = ${param('account')} and o.id = any(${param('ids')}::uuid[])`,
  { prepared: true },
)

/** A loader of opportunities by id, with all but what belongs to them. */
export const opportunityLoader = loaderOf(statement)

/** A loader of one part of opportunities that were reached without it. */
function partLoader<P extends Part>(part: P, none: PartValues[P]) {
  type Row = { id: string; value: PartValues[P] }
  const query = sql<Row>`select o.id, ${PARTS[part]} as value from opportunity o
    where o.account_id = ${param('account')} and o.id = any(${param('ids')}::uuid[])`
  return partLoaderOf(new Statement<Row>(query, { prepared: true }), none)
}

export const opportunityProductsLoader = partLoader('products', [])
export const opportunityCommentsLoader = partLoader('comments', [])
