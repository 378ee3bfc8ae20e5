import type { Database } from '../../../src/database/index.js'
import { Opportunity } from '../../../src/domains/opportunities/index.js'

let counter = 0
const next = () => ++counter

/** An opportunity in a stage, straight into the database with all its times; of nobody and worth nothing unless said otherwise. */
export async function makeDeal(
  database: Database,
  accountId: string,
  { pipelineId, stageId, ...overrides }: Partial<Opportunity> & Pick<Opportunity, 'pipelineId' | 'stageId'>,
): Promise<Opportunity> {
  const em = database.fork()
  const place = { accountId, pipelineId, stageId }
  const deal = em.create(Opportunity, { title: `Deal ${next()}`, currency: 'BRL', ...overrides, ...place })
  await em.flush()
  return deal
}
