import { randomUUID } from 'node:crypto'
import { startTestApp, type TestApp } from '../support/app.js'
import type { Answer, Client } from '../support/client.js'
import { dumpOf } from '../support/dump.js'
import { defaultPipelineOf, makePipeline, standIn } from '../support/factories/pipelines.js'
import { makeTenant, type Tenant } from '../support/factories.js'
import { dataOf, describeGuards, failureOf, faultsOf, type Guarded, TIMESTAMP } from '../support/graphql.js'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

const STAGE = 'id pipelineId name color position isWinStage isLossStage lifecycle createdAt updatedAt'
const PIPELINE = `id name description color icon isDefault isActive displayOrder createdAt updatedAt stages { ${STAGE} }`
const LIST = `{ pipelines { ${PIPELINE} } }`
const GET = `query ($id: ID!) { pipeline(id: $id) { ${PIPELINE} } }`
const CREATE = `mutation ($input: CreatePipelineInput!) { createPipeline(input: $input) { ${PIPELINE} } }`
const UPDATE = `mutation ($id: ID!, $input: UpdatePipelineInput!) { updatePipeline(id: $id, input: $input) { ${PIPELINE} } }`
const DELETE = 'mutation ($id: ID!) { deletePipeline(id: $id) { id deleted } }'
const REORDER = `mutation ($ids: [ID!]!) { reorderPipelines(ids: $ids) { ${PIPELINE} } }`
const CREATE_STAGE = `mutation ($id: ID!, $input: CreateStageInput!) { createStage(pipelineId: $id, input: $input) { ${STAGE} } }`
const UPDATE_STAGE = `mutation ($id: ID!, $input: UpdateStageInput!) { updateStage(id: $id, input: $input) { ${STAGE} } }`
const DELETE_STAGE = 'mutation ($id: ID!) { deleteStage(id: $id) { id deleted } }'
const REORDER_STAGES = `mutation ($id: ID!, $ids: [ID!]!) { reorderStages(pipelineId: $id, stageIds: $ids) { ${PIPELINE} } }`

const make = (tenant: Tenant, overrides = {}) => makePipeline(service.database, tenant.accountId, overrides)
const firstStage = async (tenant: Tenant) => ({ id: (await make(tenant)).stages[0]!.id })
const permission = 'settings:write'
const MUTATIONS: Guarded[] = [
  { name: 'createPipeline', query: CREATE, permission, variables: () => ({ input: { name: 'New' } }) },
  {
    name: 'updatePipeline',
    query: UPDATE,
    permission,
    id: 'id',
    variables: async (tenant) => ({ id: (await make(tenant)).id, input: { name: 'Changed' } }),
  },
  {
    name: 'deletePipeline',
    query: DELETE,
    permission,
    id: 'id',
    variables: async (tenant) => ({ id: (await make(tenant)).id }),
  },
  {
    name: 'reorderPipelines',
    query: REORDER,
    permission,
    variables: async (tenant) => ({
      ids: [(await make(tenant)).id, (await defaultPipelineOf(service.database, tenant.accountId)).id],
    }),
  },
  {
    name: 'createStage',
    query: CREATE_STAGE,
    permission,
    id: 'id',
    variables: async (tenant) => ({ id: (await make(tenant)).id, input: { name: 'New' } }),
  },
  {
    name: 'updateStage',
    query: UPDATE_STAGE,
    permission,
    id: 'id',
    variables: async (tenant) => ({ ...(await firstStage(tenant)), input: { name: 'Changed' } }),
  },
  { name: 'deleteStage', query: DELETE_STAGE, permission, id: 'id', variables: firstStage },
  {
    name: 'reorderStages',
    query: REORDER_STAGES,
    permission,
    id: 'id',
    variables: async (tenant) => {
      const { id, stages } = await make(tenant)
      return { id, ids: stages.map((stage) => stage.id).reverse() }
    },
  },
]
describeGuards(() => service, MUTATIONS)

const read = async (client: Client, id: string) => dataOf(await client.graphql(GET, { id }))
const namesOf = ({ stages }: { stages: { name: string }[] }) => stages.map(({ name }) => name)

/** The call is refused with these faults, and changes nothing. */
async function expectRefused({ accountId }: Tenant, call: () => Promise<Answer>, faults: string[]): Promise<void> {
  const before = await dumpOf(service.database, accountId)
  expect(faultsOf(await call())).toEqual(faults)
  expect(await dumpOf(service.database, accountId)).toEqual(before)
}

/** The work moves the pipeline's updated_at forward, or not. */
async function movedBy(client: Client, id: string, work: () => Promise<unknown>): Promise<boolean> {
  const before = await read(client, id)
  await work()
  const after = await read(client, id)
  expect(after.createdAt).toBe(before.createdAt)
  return Date.parse(after.updatedAt) > Date.parse(before.updatedAt)
}

describe('reading', () => {
  test('one pipeline takes one statement with its stages, and none for stages that are not asked for', async () => {
    const tenant = await makeTenant(service)
    const { id } = await make(tenant)
    const sqlOf = async (query: string) => {
      const { result, statements } = await service.statementsOf(() => tenant.client.graphql(query, { id }))
      dataOf(result)
      return statements
    }
    expect(await sqlOf(GET)).toHaveLength(1)
    const [text, ...more] = await sqlOf('query ($id: ID!) { pipeline(id: $id) { name } }')
    expect(more).toEqual([])
    expect(text).not.toMatch(/\bstage\b/)
  })

  test('a pipeline of another account, or of no id, is NOT_FOUND', async () => {
    const [mine, theirs] = [await makeTenant(service), await makeTenant(service)]
    const { id } = await make(theirs)
    for (const wrong of [id, randomUUID(), 'none']) {
      expect(failureOf(await mine.client.graphql(GET, { id: wrong })).code).toBe('NOT_FOUND')
    }
  })
})

describe('a pipeline', () => {
  test('is created with the usual stages, at the end of the list', async () => {
    const tenant = await makeTenant(service)
    const made = dataOf(await tenant.client.graphql(CREATE, { input: { name: '  Partners ', icon: '' } }))
    expect(made).toMatchObject({
      name: 'Partners',
      description: null,
      color: null,
      icon: null,
      isDefault: false,
      isActive: true,
      displayOrder: 1,
      createdAt: TIMESTAMP,
    })
    expect(namesOf(made)).toEqual(['New', 'Contacted', 'Qualified', 'Proposal', 'Won', 'Lost'])
    expect(await read(tenant.client, made.id)).toEqual(made)
    const next = dataOf(await tenant.client.graphql(CREATE, { input: { name: 'Later', stages: [] } }))
    expect(next.displayOrder).toBe(2)
    expect(next.stages).toHaveLength(6)
  })

  test('is created with stages of its own, whose timestamps follow from their flags', async () => {
    const { client } = await makeTenant(service)
    const stages = [
      { name: 'In', color: '#ABC' },
      { name: 'Met', lifecycle: 'SCHEDULED' },
      { name: 'Won', isWinStage: true },
      { name: 'Plain win', isWinStage: true, lifecycle: null },
      { name: 'Lost', isLossStage: true },
    ]
    const input = {
      name: 'Own',
      description: 'd',
      color: '#2563eb',
      icon: 'i',
      isActive: false,
      displayOrder: -2,
      stages,
    }
    const made = dataOf(await client.graphql(CREATE, { input }))
    expect(made).toMatchObject({ ...input, stages: expect.any(Array) })
    const effects = made.stages.map(({ position, isWinStage, isLossStage, lifecycle }: Record<string, unknown>) => [
      position,
      isWinStage,
      isLossStage,
      lifecycle,
    ])
    expect(effects).toEqual([
      [1, false, false, null],
      [2, false, false, 'SCHEDULED'],
      [3, true, false, 'WON'],
      [4, true, false, null],
      [5, false, true, 'LOST'],
    ])
  })

  const long = 'x'.repeat(256)
  test.each<[string, object, string[]]>([
    ['an empty name', { name: ' ' }, ['input.name: must not be empty']],
    ['a long name', { name: long }, ['input.name: must have at most 255 characters']],
    ['a word for a colour', { name: 'a', color: 'red' }, ['input.color: must be a colour such as #2563eb']],
    [
      'an inactive default',
      { name: 'a', isDefault: true, isActive: false },
      ['input.isActive: the default pipeline must be active'],
    ],
    [
      'a stage that is won and lost',
      { name: 'a', stages: [{ name: 'b' }, { name: 'c', isWinStage: true, isLossStage: true }] },
      ['input.stages.1.isLossStage: a stage cannot be both a win and a loss stage'],
    ],
    [
      'a won timestamp on an open stage',
      { name: 'a', stages: [{ name: 'b', lifecycle: 'WON' }] },
      ['input.stages.0.lifecycle: goes with a win stage alone'],
    ],
    [
      '101 stages',
      { name: 'a', stages: Array.from({ length: 101 }, (_, i) => ({ name: `s${i}` })) },
      ['input.stages: a pipeline has at most 100 stages'],
    ],
  ])('is not created with %s', async (_, input, faults) => {
    const tenant = await makeTenant(service)
    await expectRefused(tenant, () => tenant.client.graphql(CREATE, { input }), faults)
  })

  test('may have 100 stages, and an account 100 pipelines, also when they are created at once', async () => {
    const tenant = await makeTenant(service)
    const stages = Array.from({ length: 100 }, (_, i) => ({ name: `s${i}` }))
    const full = dataOf(await tenant.client.graphql(CREATE, { input: { name: 'Full', stages } }))
    expect(full.stages).toHaveLength(100)
    const add = () => tenant.client.graphql(CREATE_STAGE, { id: full.id, input: { name: 'more' } })
    await expectRefused(tenant, add, ['input: a pipeline has at most 100 stages'])

    for (let i = 2; i < 97; i++) await make(tenant, { stages: ['one'] })
    const create = () => tenant.client.graphql(CREATE, { input: { name: 'At once' } })
    const answers = await Promise.all(Array.from({ length: 8 }, create))
    expect(answers.filter(({ body }) => !body.errors)).toHaveLength(3)
    expect(dataOf(await tenant.client.graphql('{ pipelines { id } }'))).toHaveLength(100)
    await expectRefused(tenant, create, ['input: an account has at most 100 pipelines'])
  })

  test('is changed in the given fields alone; null and "" empty what may be empty', async () => {
    const tenant = await makeTenant(service)
    const { id } = await make(tenant, { description: 'd', color: '#fff', icon: 'i' })
    const before = await read(tenant.client, id)
    const input = { description: null, icon: '', displayOrder: 9, isActive: false }
    const changed = dataOf(await tenant.client.graphql(UPDATE, { id: id.toUpperCase(), input }))
    expect(changed).toEqual({ ...before, ...input, icon: null, updatedAt: TIMESTAMP })
    expect(changed.updatedAt).not.toBe(before.updatedAt)
    expect(await movedBy(tenant.client, id, () => tenant.client.graphql(UPDATE, { id, input }))).toBe(false)
  })

  test.each<[string, object, string[]]>([
    ['no name', { name: null }, ['input.name: must not be null']],
    ['neither default nor not', { isDefault: null }, ['input.isDefault: must not be null']],
    ['a bad colour', { color: '#12345' }, ['input.color: must be a colour such as #2563eb']],
  ])('is not changed to have %s', async (_, input, faults) => {
    const tenant = await makeTenant(service)
    const { id } = await make(tenant)
    await expectRefused(tenant, () => tenant.client.graphql(UPDATE, { id, input }), faults)
  })
})

describe('the default pipeline', () => {
  const defaults = async (client: Client) =>
    dataOf(await client.graphql(LIST)).filter((one: { isDefault: boolean }) => one.isDefault)

  test('gives that to the one which is made the default', async () => {
    const tenant = await makeTenant(service)
    const { id } = await make(tenant)
    const changed = dataOf(await tenant.client.graphql(UPDATE, { id, input: { isDefault: true } }))
    expect(changed.isDefault).toBe(true)
    expect(await defaults(tenant.client)).toEqual([changed])
    const made = dataOf(await tenant.client.graphql(CREATE, { input: { name: 'Next', isDefault: true } }))
    expect(await defaults(tenant.client)).toEqual([made])
  })

  test('is exactly one, however many are made it at once', async () => {
    const tenant = await makeTenant(service)
    const made = await Promise.all(Array.from({ length: 5 }, () => make(tenant)))
    const calls = made.flatMap(({ id }) => [
      tenant.client.graphql(UPDATE, { id, input: { isDefault: true } }),
      tenant.client.graphql(CREATE, { input: { name: 'New', isDefault: true, stages: [{ name: 'a' }] } }),
    ])
    for (const answer of await Promise.all(calls)) dataOf(answer)
    expect(await defaults(tenant.client)).toHaveLength(1)
  })

  test('stays the default, active and there, and no inactive one takes its place', async () => {
    const tenant = await makeTenant(service)
    const { id } = await defaultPipelineOf(service.database, tenant.accountId)
    const inactive = await make(tenant, { isActive: false })
    const update = (of: string, input: object) => () => tenant.client.graphql(UPDATE, { id: of, input })
    const must = 'input.isActive: the default pipeline must be active'
    await expectRefused(tenant, update(id, { isDefault: false }), [
      'input.isDefault: make another pipeline the default one instead',
    ])
    await expectRefused(tenant, update(id, { isActive: false }), [must])
    await expectRefused(tenant, update(inactive.id, { isDefault: true }), [must])
    await expectRefused(tenant, () => tenant.client.graphql(DELETE, { id }), [
      'id: is the default pipeline: make another one the default first',
    ])
    dataOf(await update(inactive.id, { isDefault: true, isActive: true })())
    expect((await defaults(tenant.client)).map((one: { id: string }) => one.id)).toEqual([inactive.id])
    expect(dataOf(await tenant.client.graphql(DELETE, { id }))).toEqual({ id, deleted: true })
  })
})

describe('deleting', () => {
  test('a pipeline takes its stages along, but not while an opportunity stands in it', async () => {
    const tenant = await makeTenant(service)
    const { id, stages } = await make(tenant)
    const opportunity = await standIn(service.database, tenant.accountId, { pipelineId: id, stageId: stages[1]!.id })
    const before = await dumpOf(service.database, tenant.accountId)
    expect(failureOf(await tenant.client.graphql(DELETE, { id })).code).toBe('RECORD_IN_USE')
    expect(await dumpOf(service.database, tenant.accountId)).toEqual(before)
    await service.database.pool.query('delete from opportunity where id = $1', [opportunity])
    expect(dataOf(await tenant.client.graphql(DELETE, { id: id.toUpperCase() }))).toEqual({ id, deleted: true })
    expect(failureOf(await tenant.client.graphql(DELETE, { id })).code).toBe('NOT_FOUND')
    expect((await dumpOf(service.database, tenant.accountId)).stage).toHaveLength(6)
  })

  test('a stage closes the gap, but not while an opportunity stands in it, nor the only one', async () => {
    const tenant = await makeTenant(service)
    const { id, stages } = await make(tenant, { stages: ['a', 'b', 'c'] })
    const remove = (place: number) => tenant.client.graphql(DELETE_STAGE, { id: stages[place]!.id })
    await standIn(service.database, tenant.accountId, { pipelineId: id, stageId: stages[1]!.id })
    const before = await dumpOf(service.database, tenant.accountId)
    expect(failureOf(await remove(1)).code).toBe('RECORD_IN_USE')
    expect(await dumpOf(service.database, tenant.accountId)).toEqual(before)
    expect(await movedBy(tenant.client, id, () => remove(0))).toBe(true)
    const left = (await read(tenant.client, id)).stages
    expect(left.map(({ name, position }: Record<string, unknown>) => [name, position])).toEqual([
      ['b', 1],
      ['c', 2],
    ])
    dataOf(await remove(2))
    await expectRefused(tenant, () => remove(1), ['id: is the only stage of its pipeline'])
  })

  test('all stages at once leaves one', async () => {
    const tenant = await makeTenant(service)
    const { id, stages } = await make(tenant, { stages: ['a', 'b', 'c', 'd', 'e'] })
    await Promise.all(stages.map((stage) => tenant.client.graphql(DELETE_STAGE, { id: stage.id })))
    const left = (await read(tenant.client, id)).stages
    expect(left).toHaveLength(1)
    expect(left[0].position).toBe(1)
  })
})

describe('a stage', () => {
  test('is added at the end or at its place, and the pipeline is changed thereby', async () => {
    const tenant = await makeTenant(service)
    const { id } = await make(tenant, { stages: ['a', 'b'] })
    const add = async (input: object) => dataOf(await tenant.client.graphql(CREATE_STAGE, { id, input }))
    let last: Answer['body']
    expect(
      await movedBy(tenant.client, id, async () => {
        last = await add({ name: 'c', color: '#123456', isWinStage: true })
      }),
    ).toBe(true)
    expect(last).toEqual({
      id: expect.any(String),
      pipelineId: id,
      name: 'c',
      color: '#123456',
      position: 3,
      isWinStage: true,
      isLossStage: false,
      lifecycle: 'WON',
      createdAt: TIMESTAMP,
      updatedAt: TIMESTAMP,
    })
    await add({ name: 'first', position: 1 })
    await add({ name: 'third', position: 3 })
    await add({ name: 'end', position: 6 })
    const shown = await read(tenant.client, id)
    expect(namesOf(shown)).toEqual(['first', 'a', 'third', 'b', 'c', 'end'])
    expect(shown.stages.map(({ position }: { position: number }) => position)).toEqual([1, 2, 3, 4, 5, 6])
    for (const position of [0, 8]) {
      const call = () => tenant.client.graphql(CREATE_STAGE, { id, input: { name: 'x', position } })
      await expectRefused(tenant, call, ['input.position: must be from 1 to 7'])
    }
  })

  test('has its own place, also when several are added at the same one at once', async () => {
    const tenant = await makeTenant(service)
    const { id } = await make(tenant, { stages: ['a'] })
    const add = (name: string) => tenant.client.graphql(CREATE_STAGE, { id, input: { name, position: 1 } })
    for (const answer of await Promise.all(['b', 'c', 'd', 'e', 'f', 'g'].map(add))) dataOf(answer)
    const { stages } = await read(tenant.client, id)
    expect(stages.map(({ position }: { position: number }) => position)).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(stages.at(-1).name).toBe('a')
  })

  test('is changed in the given fields alone, and so is the pipeline; what changes nothing leaves no trace', async () => {
    const tenant = await makeTenant(service)
    const { id, stages } = await make(tenant, { stages: [{ name: 'a', color: '#fff' }, 'b'] })
    const stageId = stages[0]!.id
    const update = async (input: object) => dataOf(await tenant.client.graphql(UPDATE_STAGE, { id: stageId, input }))
    expect(await movedBy(tenant.client, id, () => update({ name: 'A', color: '' }))).toBe(true)
    const [shown] = (await read(tenant.client, id)).stages
    expect(shown).toMatchObject({ id: stageId, name: 'A', color: null, position: 1, lifecycle: null })
    for (const input of [{}, { name: ' A ', color: null, isWinStage: false }]) {
      expect(await movedBy(tenant.client, id, () => update(input))).toBe(false)
    }
    expect((await read(tenant.client, id)).stages[0]).toEqual(shown)
  })

  test('becomes won, lost and open again, with the timestamp that goes with it', async () => {
    const tenant = await makeTenant(service)
    const { stages } = await make(tenant)
    const update = async (input: object) =>
      dataOf(await tenant.client.graphql(UPDATE_STAGE, { id: stages[0]!.id, input }))
    expect(await update({ isWinStage: true })).toMatchObject({ isWinStage: true, lifecycle: 'WON' })
    expect(await update({ name: 'renamed' })).toMatchObject({ isWinStage: true, lifecycle: 'WON' })
    expect(await update({ isWinStage: false, isLossStage: true })).toMatchObject({
      isLossStage: true,
      lifecycle: 'LOST',
    })
    expect(await update({ isLossStage: false })).toMatchObject({ isLossStage: false, lifecycle: null })
    expect(await update({ lifecycle: 'QUALIFIED' })).toMatchObject({ lifecycle: 'QUALIFIED' })
    expect(await update({ isWinStage: true })).toMatchObject({ isWinStage: true, lifecycle: 'QUALIFIED' })
    const refused = (input: object) => () => tenant.client.graphql(UPDATE_STAGE, { id: stages[0]!.id, input })
    await expectRefused(tenant, refused({ isLossStage: true }), [
      'input.isLossStage: a stage cannot be both a win and a loss stage',
    ])
    await expectRefused(tenant, refused({ lifecycle: 'LOST' }), ['input.lifecycle: goes with a loss stage alone'])
    await expectRefused(tenant, refused({ name: '', isWinStage: null }), [
      'input.isWinStage: must not be null',
      'input.name: must not be empty',
    ])
  })
})

describe('an order', () => {
  test('of stages holds them all, and changes the pipeline only when it is another', async () => {
    const tenant = await makeTenant(service)
    const { id, stages } = await make(tenant, { stages: ['a', 'b', 'c'] })
    const ids = stages.map((stage) => stage.id)
    const reorder = (wanted: string[]) => tenant.client.graphql(REORDER_STAGES, { id, ids: wanted })
    const turned = [ids[2]!.toUpperCase(), ids[0]!, ids[1]!]
    expect(
      await movedBy(tenant.client, id, async () =>
        expect(namesOf(dataOf(await reorder(turned)))).toEqual(['c', 'a', 'b']),
      ),
    ).toBe(true)
    expect(await movedBy(tenant.client, id, () => reorder(turned))).toBe(false)
    const foreign = (await make(tenant)).stages[0]!.id
    const what = 'stage of the pipeline'
    await expectRefused(tenant, () => reorder(ids.slice(1)), [`stageIds: must name every ${what}`])
    await expectRefused(tenant, () => reorder([]), [`stageIds: must name every ${what}`])
    await expectRefused(tenant, () => reorder([...ids, ids[0]!]), ['stageIds.3: is there already'])
    await expectRefused(tenant, () => reorder([...ids.slice(1), foreign, 'x']), [
      `stageIds.2: is not the id of a ${what}`,
      `stageIds.3: is not the id of a ${what}`,
    ])
  })

  test('of pipelines holds them all', async () => {
    const tenant = await makeTenant(service)
    const { id } = await defaultPipelineOf(service.database, tenant.accountId)
    const others = [await make(tenant, { displayOrder: 5 }), await make(tenant, { displayOrder: 1 })]
    const ids = [others[0]!.id, id, others[1]!.id]
    const shown = dataOf(await tenant.client.graphql(REORDER, { ids }))
    expect(shown.map((one: { id: string; displayOrder: number }) => [one.id, one.displayOrder])).toEqual(
      ids.map((one, i) => [one, i + 1]),
    )
    const stranger = await make(await makeTenant(service))
    await expectRefused(tenant, () => tenant.client.graphql(REORDER, { ids: ids.slice(1) }), [
      'ids: must name every pipeline',
    ])
    await expectRefused(tenant, () => tenant.client.graphql(REORDER, { ids: [...ids, stranger.id] }), [
      'ids.3: is not the id of a pipeline',
    ])
  })
})
