import type { Database } from '../../../src/database/index.js'
import type { Opportunity } from '../../../src/domains/opportunities/index.js'
import { makeOpportunity } from './opportunities.js'

/** An opportunity of no contact, with all its times; of nobody and worth nothing unless said otherwise. */
export function makeDeal(
  database: Database,
  accountId: string,
  deal: Partial<Opportunity> & Pick<Opportunity, 'pipelineId' | 'stageId'>,
): Promise<Opportunity> {
  return makeOpportunity(database, accountId, { contact: null, ...deal })
}
