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
const partLoader = <P extends Part>(part: P, none: PartValues[P]) => partLoaderOf('opportunity', 'o', PARTS[part], none)

export const opportunityProductsLoader = partLoader('products', [])
export const opportunityCommentsLoader = partLoader('comments', [])
