import { assembly } from '../../src/assembly.js'
import { type Tally, verifyTally } from '../../src/database/index.js'
import type { TestApp } from './app.js'
import { makePipeline } from './factories/pipelines.js'
import { makeSector } from './factories/reference.js'
import { makeDeal } from './factories/reports.js'
import { makeUser } from './factories/users.js'
import { makeTenant } from './factories.js'

/** Every tally of opportunities. */
export const TALLIES: readonly Tally[] = assembly.tallies.filter(({ table }) => table === 'opportunity')

/** An account with two pipelines, two owners and two sectors. */
export async function talliedAccount(service: TestApp) {
  const tenant = await makeTenant(service)
  const { accountId } = tenant
  const { database } = service
  const pipelines = [await makePipeline(database, accountId), await makePipeline(database, accountId)]
  const owners = [await makeUser(database, accountId), await makeUser(database, accountId)]
  const sectors = [await makeSector(database, accountId), await makeSector(database, accountId)]
  const stages = pipelines.flatMap((pipeline) => pipeline.stages)
  const put = (fields: Partial<Parameters<typeof makeDeal>[2]> = {}) =>
    makeDeal(database, accountId, { pipelineId: pipelines[0]!.id, stageId: stages[0]!.id, ...fields })
  return { ...tenant, pipelines, stages, owners, sectors, put }
}

/** The kept totals of opportunities are what the opportunities add up to. */
export async function expectTalliesRight({ database }: TestApp): Promise<void> {
  for (const tally of TALLIES) {
    expect({ tally: tally.name, wrong: await verifyTally(database.pool, tally) }).toEqual({
      tally: tally.name,
      wrong: [],
    })
  }
}
