import { randomUUID } from 'node:crypto'
import { Lifecycle } from '../../src/domains/pipelines/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { type Client, createClient } from '../support/client.js'
import { makePipeline } from '../support/factories/pipelines.js'
import { makeKey, makeTenant } from '../support/factories.js'
import { TIMESTAMP } from '../support/graphql.js'

let service: TestApp
// Row security would hide a condition that a statement forgot; it is off unless an operator turns it on.
let unwalled: TestApp
beforeAll(async () => {
  ;[service, unwalled] = await Promise.all([startTestApp(), startTestApp({ rowSecurity: false })])
})
afterAll(() => Promise.all([service.stop(), unwalled.stop()]))

interface Shown {
  id: string
  name: string
  stages: { id: string; name: string; position: number; pipeline_id: string }[]
}

async function pipelinesOf(client: Client): Promise<Shown[]> {
  const { status, body } = await client.get('/pipelines')
  expect(status).toBe(200)
  return body.data
}

test('of a new account are the default one with six stages', async () => {
  const { client } = await makeTenant(service)
  const { status, body } = await client.get('/pipelines')
  expect(status).toBe(200)
  const stage = (name: string, color: string, position: number, flags = {}) => ({
    id: expect.any(String),
    pipeline_id: body.data[0].id,
    name,
    color,
    position,
    is_win_stage: false,
    is_loss_stage: false,
    ...flags,
  })
  expect(body).toEqual({
    success: true,
    data: [
      {
        id: expect.any(String),
        name: 'Sales',
        description: null,
        color: null,
        icon: null,
        is_default: true,
        is_active: true,
        display_order: 0,
        created_at: TIMESTAMP,
        updated_at: TIMESTAMP,
        stages: [
          stage('New', '#64748b', 1),
          stage('Contacted', '#2563eb', 2),
          stage('Qualified', '#7c3aed', 3),
          stage('Proposal', '#d97706', 4),
          stage('Won', '#16a34a', 5, { is_win_stage: true }),
          stage('Lost', '#dc2626', 6, { is_loss_stage: true }),
        ],
      },
    ],
  })
})

test('show everything that is stored of them', async () => {
  const { accountId, client } = await makeTenant(service)
  const fields = { name: 'Após-venda', description: 'Renewals.', color: '#fff', icon: 'repeat' }
  const stage = { name: 'Ended', color: null, isLossStage: true, lifecycle: Lifecycle.LOST }
  const made = await makePipeline(service.database, accountId, {
    ...fields,
    isActive: false,
    displayOrder: 7,
    stages: [stage],
  })
  const shown = (await pipelinesOf(client)).find(({ id }) => id === made.id)
  expect(shown).toEqual({
    id: made.id,
    ...fields,
    is_default: false,
    is_active: false,
    display_order: 7,
    created_at: TIMESTAMP,
    updated_at: TIMESTAMP,
    stages: [
      {
        id: made.stages[0]!.id,
        pipeline_id: made.id,
        name: 'Ended',
        color: null,
        position: 1,
        is_win_stage: false,
        is_loss_stage: true,
      },
    ],
  })
})

test('are in the order of their places, then of their names without case and accents, then of their ids', async () => {
  const { accountId, client } = await makeTenant(service)
  const add = (name: string, displayOrder: number, id = randomUUID()) =>
    makePipeline(service.database, accountId, { id, name, displayOrder })
  for (const [name, place] of [
    ['zulu', 1],
    ['Éclair', 1],
    ['eclipse', 1],
    ['Abel', 2],
    ['ábaco', 2],
    ['first', -3],
  ] as const) {
    await add(name, place)
  }
  for (let i = 0; i < 30; i++) await add(i % 2 ? 'Same' : 'SÂME', 3)
  const shown = await pipelinesOf(client)
  const names = ['first', 'Sales', 'Éclair', 'eclipse', 'zulu', 'ábaco', 'Abel']
  expect(shown.slice(0, names.length).map(({ name }) => name)).toEqual(names)
  const ties = shown.slice(names.length).map(({ id }) => id)
  expect(ties).toEqual([...new Set(ties)].toSorted())
  expect(ties).toHaveLength(30)
})

test('come with their stages in one statement, however many there are', async () => {
  const { accountId, client } = await makeTenant(service)
  for (let i = 0; i < 20; i++) await makePipeline(service.database, accountId, { stages: ['c', 'b', 'a'] })
  const { result, statements } = await service.statementsOf(() => pipelinesOf(client))
  expect(statements).toHaveLength(1)
  expect(result).toHaveLength(21)
  for (const { id, stages } of result) {
    expect(stages.map(({ position }) => position)).toEqual(stages.map((_, i) => i + 1))
    expect(stages.every(({ pipeline_id }) => pipeline_id === id)).toBe(true)
  }
  expect(result.at(-1)!.stages.map(({ name }) => name)).toEqual(['c', 'b', 'a'])
})

test('need a key that may read pipelines', async () => {
  const { accountId } = await makeTenant(service)
  expect((await createClient(service.origin).get('/pipelines')).status).toBe(401)
  const withPermission = async (permission: string) => {
    const { secret } = await makeKey(service.database, accountId, { permissions: [permission] })
    return createClient(service.origin, secret).get('/pipelines')
  }
  for (const permission of ['pipelines:read', 'pipelines:*', '*']) {
    expect((await withPermission(permission)).status).toBe(200)
  }
  for (const permission of ['opportunities:*', 'settings:write']) {
    const { status, body } = await withPermission(permission)
    expect(status).toBe(403)
    expect(body.error).toMatchObject({ code: 'INSUFFICIENT_PERMISSIONS', required_permission: 'pipelines:read' })
  }
})

test('take no parameters: what is sent warns, and is refused by a strict caller', async () => {
  const { client } = await makeTenant(service)
  const { body } = await client.get('/pipelines?page=2')
  expect(body.data).toHaveLength(1)
  expect(body.warnings).toEqual([{ field: 'page', message: 'is unknown and was ignored' }])
  expect((await client.get('/pipelines?page=2', { Prefer: 'handling=strict' })).status).toBe(400)
})

test.each([
  ['with row security', () => service],
  ['without it', () => unwalled],
])('of another account never show, %s', async (_, appOf) => {
  const app = appOf()
  const [mine, theirs] = [await makeTenant(app), await makeTenant(app)]
  const own = await makePipeline(app.database, mine.accountId, { name: 'Mine' })
  await makePipeline(app.database, theirs.accountId, { name: 'Theirs' })
  const shown = await pipelinesOf(mine.client)
  expect(shown.map(({ name }) => name)).toEqual(['Sales', 'Mine'])
  expect(shown[1]!.stages.map(({ id }) => id)).toEqual(own.stages.map(({ id }) => id))
})
