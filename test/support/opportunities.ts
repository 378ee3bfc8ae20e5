import { Lifecycle } from '../../src/domains/pipelines/index.js'
import type { TestApp } from './app.js'
import type { Answer } from './client.js'
import { makeOpportunity } from './factories/opportunities.js'
import { makePipeline } from './factories/pipelines.js'
import { makeTenant, type Tenant } from './factories.js'

/** An opportunity as the API shows it. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into it field by field
export type Shown = Record<string, any>

/** An opportunity under test, in a pipeline with a stage of every kind. */
export interface Subject extends Tenant {
  id: string
  path: string
  pipelineId: string
  stages: Record<StageName, string>
  /** The opportunity as the API shows it. */
  read(): Promise<Shown>
  /** Its history as the API shows it, oldest first. */
  history(): Promise<Shown[]>
  put(body: unknown): Promise<Answer>
  move(body: unknown): Promise<Answer>
}

const STAGES = {
  start: {},
  sent: { lifecycle: Lifecycle.SENT },
  qualified: { lifecycle: Lifecycle.QUALIFIED },
  won: { isWinStage: true, lifecycle: Lifecycle.WON },
  wonToo: { isWinStage: true, lifecycle: Lifecycle.WON },
  lost: { isLossStage: true, lifecycle: Lifecycle.LOST },
  lostToo: { isLossStage: true, lifecycle: Lifecycle.LOST },
}
export type StageName = keyof typeof STAGES
const NAMES = Object.keys(STAGES) as StageName[]

type New = NonNullable<Parameters<typeof makeOpportunity>[2]>

/** A new account with an opportunity in the stage `start`. */
export async function makeSubject(service: TestApp, overrides: New = {}): Promise<Subject> {
  const tenant = await makeTenant(service)
  const { client, accountId } = tenant
  const pipeline = await makePipeline(service.database, accountId, {
    name: 'Every kind',
    stages: NAMES.map((name) => ({ name, ...STAGES[name] })),
  })
  const stages = Object.fromEntries(NAMES.map((name, i) => [name, pipeline.stages[i]!.id])) as Subject['stages']
  const place = { pipelineId: pipeline.id, stageId: stages.start }
  const { id } = await makeOpportunity(service.database, accountId, { title: 'Roof', ...place, ...overrides })
  const path = `/opportunities/${id}`
  return {
    ...tenant,
    ...{ id, path, stages, pipelineId: pipeline.id },
    read: async () => (await client.get(path)).body.data,
    history: async () => (await client.get(`${path}/history?limit=100`)).body.data.reverse(),
    put: (body) => client.put(path, body),
    move: (body) => client.call('PATCH', `${path}/stage`, { body }),
  }
}

/** What an answer says of what went wrong, with the fields in order. */
export const faultsOf = ({ status, body }: Answer) => ({
  status,
  code: body.error?.code,
  fields: body.error?.details?.map(({ field }: { field: string }) => field).sort(),
})

export const timeOf = (timestamp: unknown) => Date.parse(timestamp as string)

/** The work moves the opportunity's updated_at forward, or does not. */
export async function expectMoved({ read }: Subject, moved: boolean, work: () => Promise<unknown>): Promise<void> {
  const before = await read()
  await work()
  const after = await read()
  expect(timeOf(after.updated_at) > timeOf(before.updated_at)).toBe(moved)
  if (!moved) expect(after.updated_at).toBe(before.updated_at)
  expect(after.created_at).toBe(before.created_at)
}
