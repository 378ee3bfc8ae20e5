import { randomUUID } from 'node:crypto'
import { startTestApp, type TestApp } from '../support/app.js'
import { createClient } from '../support/client.js'
import { defaultPipelineOf, makePipeline } from '../support/factories/pipelines.js'
import { makeDiscardReason, makeSector } from '../support/factories/reference.js'
import { makeDeal } from '../support/factories/reports.js'
import { makeKey, makeTenant } from '../support/factories.js'
import { askReport, report } from '../support/reports.js'

let service: TestApp
beforeAll(async () => {
  // Row security would hide a condition on the account that a report forgot.
  service = await startTestApp({ rowSecurity: false })
})
afterAll(() => service.stop())

const WHEN = new Date('2026-02-01T09:30:00.000Z')
const STAGES = ['New', 'Talks', { name: 'Won', isWinStage: true }, { name: 'Lost', isLossStage: true }]

type Deal = Omit<Parameters<typeof makeDeal>[2], 'pipelineId' | 'stageId'>
type Stages = NonNullable<Parameters<typeof makePipeline>[2]>['stages']

/** A new account with a pipeline, and a function that puts deals into one of its stages, numbered from 1. */
async function scene(stages: Stages = STAGES) {
  const tenant = await makeTenant(service)
  const pipeline = await makePipeline(service.database, tenant.accountId, { name: 'Sales', stages })
  const put = async (position: number, ...deals: Deal[]) => {
    const made = []
    for (const deal of deals) {
      const place = { pipelineId: pipeline.id, stageId: pipeline.stages[position - 1]!.id }
      made.push(await makeDeal(service.database, tenant.accountId, { ...deal, ...place }))
    }
    return made
  }
  const funnel = async (parameters: Record<string, string> = {}): Promise<Funnel> =>
    (await report(tenant.client, 'funnel', { pipeline_id: pipeline.id, ...parameters }))[0]
  return { ...tenant, pipeline, put, funnel }
}

interface Funnel {
  pipeline_id: string
  pipeline_name: string
  lost_count: number
  stages: {
    stage_id: string
    stage_name: string
    position: number
    count: number
    value: number
    conversion_from_previous: number | null
  }[]
}

/** Count and value of each stage. */
const standing = (funnel: Funnel) => funnel.stages.map(({ count, value }) => [count, value])

describe('what is counted', () => {
  test('are the active ones in each stage with their values, the lost and discarded ones of the pipeline together', async () => {
    const { pipeline, put, funnel } = await scene()
    await put(1, { value: 100.1 }, { value: 200.2 }, { value: 5, discardedAt: WHEN }, { value: 7, lostAt: WHEN })
    await put(3, { value: 1000, wonAt: WHEN }, { value: 9, wonAt: WHEN, discardedAt: WHEN })
    await put(4, { value: 11, lostAt: WHEN }, { value: 13, lostAt: WHEN, discardedAt: WHEN })
    const stage = (position: number) => ({ stage_id: pipeline.stages[position - 1]!.id, position })
    const plain = { is_won_stage: false, is_loss_stage: false }
    expect(await funnel()).toEqual({
      pipeline_id: pipeline.id,
      pipeline_name: 'Sales',
      lost_count: 5,
      stages: [
        { ...stage(1), ...plain, stage_name: 'New', count: 2, value: 300.3, conversion_from_previous: null },
        { ...stage(2), ...plain, stage_name: 'Talks', count: 0, value: 0, conversion_from_previous: 0 },
        {
          ...{ ...stage(3), ...plain, stage_name: 'Won', is_won_stage: true },
          ...{ count: 1, value: 1000, conversion_from_previous: null },
        },
        {
          ...{ ...stage(4), ...plain, stage_name: 'Lost', is_loss_stage: true },
          ...{ count: 0, value: 0, conversion_from_previous: 0 },
        },
      ],
    })
  })

  test('values are added up to the cent, whatever their currencies', async () => {
    const { put, funnel } = await scene()
    await put(1, { value: 0.1, currency: 'BRL' }, { value: 0.2, currency: 'USD' }, { value: 0.03, currency: 'JPY' })
    await put(2, ...Array.from({ length: 60 }, () => ({ value: 999_999_999_999.99 })))
    const [first, second] = (await funnel()).stages
    expect([first!.value, second!.value]).toEqual([0.33, 59_999_999_999_999.4])
  })

  test('an active one counts in a loss stage, if it got there without being lost', async () => {
    const { put, funnel } = await scene()
    await put(4, { value: 3 })
    expect(await funnel()).toMatchObject({ lost_count: 0, stages: [{}, {}, {}, { count: 1, value: 3 }] })
  })

  test('is what the API makes of it, at once', async () => {
    const { client, accountId, pipeline, funnel } = await scene()
    const [start, talks, won, lost] = pipeline.stages.map(({ id }) => id)
    const mutate = async (text: string) => {
      const { body } = await client.graphql(`mutation { ${text} }`)
      expect(body.errors).toBeUndefined()
      return Object.values(body.data)[0] as { id: string }
    }
    const { id } = await mutate(
      `createOpportunity(input: { name: "Ana", pipelineId: "${pipeline.id}", stageId: "${start}", value: 12.34 }) { id }`,
    )
    const seen = async () => {
      const { lost_count, stages } = await funnel()
      return [lost_count, ...stages.map(({ count, value }) => (count ? value : null))]
    }
    const move = (stageId: string | undefined) =>
      client.call('PATCH', `/opportunities/${id}/stage`, { body: { stage_id: stageId } })
    expect(await seen()).toEqual([0, 12.34, null, null, null])
    await mutate(`updateOpportunity(id: "${id}", input: { value: 50 }) { id }`)
    expect(await seen()).toEqual([0, 50, null, null, null])
    await move(talks)
    expect(await seen()).toEqual([0, null, 50, null, null])
    await move(won)
    expect(await seen()).toEqual([0, null, null, 50, null])
    await move(lost)
    expect(await seen()).toEqual([1, null, null, null, null])
    await move(talks)
    const reason = await makeDiscardReason(service.database, accountId)
    await mutate(`discardOpportunity(id: "${id}", discardReasonId: "${reason.id}") { id }`)
    expect(await seen()).toEqual([1, null, null, null, null])
    await mutate(`restoreOpportunity(id: "${id}") { id }`)
    expect(await seen()).toEqual([0, null, 50, null, null])
    await mutate(`addOpportunityProduct(id: "${id}", input: { name: "Kit", unitPrice: 1.15, quantity: 3 }) { id }`)
    expect(await seen()).toEqual([0, null, 3.45, null, null])
    expect((await client.delete(`/opportunities/${id}`)).status).toBe(200)
    expect(await seen()).toEqual([0, null, null, null, null])
  })
})

test('the conversion is in percent of the stage before, with two decimals; null for the first and after an empty one', async () => {
  const { put, funnel } = await scene(['A', 'B', 'C', 'D', 'E', 'F'])
  for (const [at, count] of [3, 2, 0, 1, 7, 7].entries()) await put(at + 1, ...Array(count).fill({}))
  const { stages } = await funnel()
  expect(stages.map((stage) => stage.conversion_from_previous)).toEqual([...[null, 66.67, 0, null, 700, 100]])
})

describe('which pipelines and stages', () => {
  test('are all, without opportunities and inactive too, in the order of GET /pipelines', async () => {
    const { accountId, client } = await makeTenant(service)
    const make = (name: string, displayOrder: number, stages: string[] = ['Only'], isActive = true) =>
      makePipeline(service.database, accountId, { name, displayOrder, stages, isActive })
    const twins = [await make('Same', 7), await make('Same', 7)]
    await make('zeta', 5)
    await make('Última', 5, [], false)
    await make('alfa', 5, ['First', 'Second', 'Third'])
    await make('Before', -3)
    const funnels: Funnel[] = await report(client, 'funnel')
    const { body } = await client.get('/pipelines')
    expect(funnels.map(({ pipeline_id, stages }) => [pipeline_id, stages.map(({ stage_id }) => stage_id)])).toEqual(
      body.data.map(({ id, stages }: { id: string; stages: { id: string }[] }) => [id, stages.map((one) => one.id)]),
    )
    const names = funnels.map(({ pipeline_name }) => pipeline_name)
    expect([names[0], ...names.slice(-5)]).toEqual(['Before', 'alfa', 'Última', 'zeta', 'Same', 'Same'])
    expect(funnels.slice(-2).map(({ pipeline_id }) => pipeline_id)).toEqual(twins.map(({ id }) => id).toSorted())
    expect(funnels.at(-4)).toMatchObject({ pipeline_name: 'Última', lost_count: 0, stages: [] })
  })

  test('stages stand by their position, whenever they were made', async () => {
    const { client, pipeline, put, funnel } = await scene(['A', 'B', 'C'])
    await put(1, {}, {})
    await put(3, {})
    const ids = pipeline.stages.map(({ id }) => `"${id}"`).toReversed()
    await client.graphql(`mutation { reorderStages(pipelineId: "${pipeline.id}", stageIds: [${ids}]) { id } }`)
    const { stages } = await funnel()
    expect(stages.map((one) => [one.stage_name, one.position, one.count, one.conversion_from_previous])).toEqual([
      ['C', 1, 1, null],
      ['B', 2, 0, 0],
      ['A', 3, 2, null],
    ])
  })

  test('by pipeline_id it is one, of an unknown one or of none that could be there is nothing', async () => {
    const { accountId, client, pipeline, put } = await scene()
    await put(1, {})
    const standard = await defaultPipelineOf(service.database, accountId)
    const ids = async (pipeline_id: string) =>
      (await report(client, 'funnel', { pipeline_id })).map((one: { pipeline_id: string }) => one.pipeline_id)
    expect(await ids(pipeline.id)).toEqual([pipeline.id])
    expect(await ids(pipeline.id.toUpperCase())).toEqual([pipeline.id])
    expect(await ids(standard.id)).toEqual([standard.id])
    for (const unknown of [randomUUID(), 'nobody', '0', pipeline.stages[0]!.id]) expect(await ids(unknown)).toEqual([])
    const { body } = await askReport(client, 'funnel', { pipeline_id: ' ' })
    expect(body.data).toHaveLength(2) // empty is as good as absent
  })

  test('by sector_id only opportunities of the sector count, in all stages and pipelines', async () => {
    const { accountId, client, put, funnel } = await scene()
    const [sector, gone] = [
      await makeSector(service.database, accountId),
      await makeSector(service.database, accountId, { deletedAt: WHEN }),
    ]
    await put(1, { value: 1, sectorId: sector.id }, { value: 2, sectorId: gone.id }, { value: 4 })
    await put(
      2,
      { value: 8, sectorId: sector.id },
      { value: 16, sectorId: sector.id, lostAt: WHEN },
      { value: 32, lostAt: WHEN },
    )
    const seen = async (sector_id: string) => {
      const one = await funnel({ sector_id })
      return [one.lost_count, standing(one).slice(0, 2)]
    }
    expect(await seen(sector.id)).toEqual([
      1,
      [
        [1, 1],
        [1, 8],
      ],
    ])
    expect(await seen(gone.id)).toEqual([
      0,
      [
        [1, 2],
        [0, 0],
      ],
    ])
    for (const unknown of [randomUUID(), 'nobody', '00000000-0000-0000-0000-000000000000']) {
      expect(await seen(unknown)).toEqual([
        0,
        [
          [0, 0],
          [0, 0],
        ],
      ])
    }
    expect(await report(client, 'funnel', { sector_id: sector.id })).toHaveLength(2)
  })

  test('through /graphql an empty id is one that nothing has', async () => {
    const { client, put } = await scene()
    await put(1, {})
    const ask = async (args: string) =>
      (await client.graphql(`{ funnelReport${args} { stages { count } } }`)).body.data.funnelReport
    expect(await ask('(pipelineId: "")')).toEqual([])
    const counts = (await ask('(sectorId: "")')).flatMap(({ stages }: { stages: { count: number }[] }) => stages)
    expect(counts.length).toBeGreaterThan(4)
    expect(counts.every(({ count }: { count: number }) => count === 0)).toBe(true)
    expect(await ask('(pipelineId: null, sectorId: null)')).toHaveLength(2)
  })
})

describe('who may ask', () => {
  test('nobody without a key or the permission', async () => {
    const { accountId } = await scene()
    expect(await askReport(createClient(service.origin), 'funnel')).toMatchObject({
      status: 401,
      body: { error: { code: 'MISSING_API_KEY' } },
    })
    const { secret } = await makeKey(service.database, accountId, { permissions: ['pipelines:*', 'opportunities:*'] })
    const client = createClient(service.origin, secret)
    expect(await askReport(client, 'funnel')).toMatchObject({
      status: 403,
      body: { error: { code: 'INSUFFICIENT_PERMISSIONS', required_permission: 'reports:read' } },
    })
    const { body } = await client.graphql('{ funnelReport { pipelineId } }')
    expect(body).toMatchObject({ errors: [{ extensions: { code: 'INSUFFICIENT_PERMISSIONS' } }] })
    for (const permissions of [['reports:read'], ['reports:*']]) {
      const key = await makeKey(service.database, accountId, { permissions })
      await report(createClient(service.origin, key.secret), 'funnel')
    }
  })

  test('each account sees its own opportunities alone', async () => {
    const [mine, other] = [await scene(), await scene()]
    const theirs = await makeSector(service.database, other.accountId)
    await mine.put(1, { value: 1 })
    await other.put(1, { value: 2, sectorId: theirs.id })
    expect(standing(await mine.funnel())[0]).toEqual([1, 1])
    expect(await report(mine.client, 'funnel')).toHaveLength(2)
    expect(await report(mine.client, 'funnel', { pipeline_id: other.pipeline.id })).toEqual([])
    expect(standing(await mine.funnel({ sector_id: theirs.id }))[0]).toEqual([0, 0])
  })
})

test('is read in one statement, whatever the number of pipelines, and in none for what cannot be there', async () => {
  const { accountId, client, put } = await scene()
  await put(1, {}, {})
  for (let i = 0; i < 5; i++) await makePipeline(service.database, accountId)
  const count = async (parameters: Record<string, string>) => {
    const { statements } = await service.statementsOf(() => askReport(client, 'funnel', parameters))
    return statements.length
  }
  expect(await count({})).toBe(1)
  expect(await count({ sector_id: randomUUID() })).toBe(1)
  expect(await count({ pipeline_id: randomUUID(), sector_id: randomUUID() })).toBe(1)
  expect(await count({ pipeline_id: 'nobody' })).toBe(0)
})
