import { HistoryAction } from '../../src/domains/opportunities/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { makeOpportunity } from '../support/factories/opportunities.js'
import { makeTenant } from '../support/factories.js'
import { makeSubject, type Shown } from '../support/opportunities.js'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

const at = (ms: number) => new Date(Date.parse('2026-03-01T12:00:00.000Z') + ms)

test('lists what happened, newest first, in the envelope of a list', async () => {
  const { accountId, client } = await makeTenant(service)
  const { id } = await makeOpportunity(service.database, accountId, {
    history: [
      { toStageName: 'New', toValue: 0, createdAt: at(1) },
      { action: HistoryAction.VALUE_CHANGED, fromValue: 0, toValue: 0.1, userName: 'Bia', createdAt: at(3) },
      { action: HistoryAction.STAGE_CHANGED, fromStageName: 'New', toStageName: 'Won', notes: 'x', createdAt: at(2) },
    ],
  })
  await makeOpportunity(service.database, accountId, { history: [{ notes: 'of another' }] })
  const { status, body } = await client.get(`/opportunities/${id}/history`)
  expect(status).toBe(200)
  const nothing = { from_stage_id: null, from_stage_name: null, to_stage_id: null, to_stage_name: null }
  const rest = { id: expect.any(String), from_value: null, to_value: null, notes: null, user_name: null }
  expect(body).toEqual({
    success: true,
    data: [
      {
        ...{ ...rest, ...nothing, action: 'value_changed', from_value: 0, to_value: 0.1, user_name: 'Bia' },
        created_at: at(3).toISOString(),
      },
      {
        ...{ ...rest, ...nothing, action: 'stage_changed', from_stage_name: 'New', to_stage_name: 'Won', notes: 'x' },
        created_at: at(2).toISOString(),
      },
      { ...rest, ...nothing, action: 'created', to_stage_name: 'New', to_value: 0, created_at: at(1).toISOString() },
    ],
    pagination: {
      page: 1,
      per_page: 50,
      total: 3,
      total_pages: 1,
      has_next: false,
      has_prev: false,
      next_cursor: null,
    },
  })
})

test('of steps of the same instant shows each once, page by page', async () => {
  const { accountId, client } = await makeTenant(service)
  const history = Array.from({ length: 30 }, (_, i) => ({ notes: `${i}`, createdAt: at(0) }))
  const { id } = await makeOpportunity(service.database, accountId, { history })
  const ids: string[] = []
  for (let page = 1; page <= 5; page++) {
    const { body } = await client.get(`/opportunities/${id}/history?limit=7&page=${page}`)
    expect(body.pagination).toMatchObject({ page, total: 30, total_pages: 5, has_next: page < 5 })
    ids.push(...body.data.map((step: Shown) => step.id))
  }
  expect(new Set(ids).size).toBe(30)
  expect(ids).toEqual(ids.toSorted().reverse())
  const past = (await client.get(`/opportunities/${id}/history?limit=7&page=6`)).body
  expect(past).toMatchObject({ data: [], pagination: { page: 6, total: 30, total_pages: 5, has_next: false } })
  const { body } = await client.get(`/opportunities/${id}/history?limit=1000&page=0`)
  expect(body.warnings.map(({ field }: Shown) => field).sort()).toEqual(['limit', 'page'])
})

test('of an opportunity without any is empty, not unknown', async () => {
  const { accountId, client } = await makeTenant(service)
  const { id } = await makeOpportunity(service.database, accountId)
  const { status, body } = await client.get(`/opportunities/${id}/history`)
  expect({ status, data: body.data, total: body.pagination.total }).toEqual({ status: 200, data: [], total: 0 })
})

test('keeps the names of stages as they were, also of stages that are gone', async () => {
  const subject = await makeSubject(service)
  const { client, stages } = subject
  await subject.move({ stage_id: stages.sent })
  await subject.move({ stage_id: stages.start })
  const graphql = async (query: string) => expect((await client.graphql(query)).body.errors).toBeUndefined()
  await graphql(`mutation { updateStage(id: "${stages.start}", input: { name: "Renamed" }) { id } }`)
  await graphql(`mutation { deleteStage(id: "${stages.sent}") { id } }`)
  const names = (await subject.history()).map((step) => [step.from_stage_name, step.to_stage_name, step.to_stage_id])
  expect(names).toEqual([
    ['start', 'sent', stages.sent],
    ['sent', 'start', stages.start],
  ])
  expect(await subject.read()).toMatchObject({ stage_name: 'Renamed' })
})

test('takes one statement', async () => {
  const { accountId, client } = await makeTenant(service)
  const { id } = await makeOpportunity(service.database, accountId, { history: [{}] })
  await client.get('/opportunities')
  const { statements } = await service.statementsOf(() => client.get(`/opportunities/${id}/history`))
  expect(statements).toHaveLength(1)
})
