import { randomUUID } from 'node:crypto'
import { startTestApp, type TestApp } from '../support/app.js'
import { dumpOf } from '../support/dump.js'
import { makeInstagramAgent } from '../support/factories/instagram.js'
import { makeTenant, type Tenant } from '../support/factories.js'
import { dataOf, describeGuards, failureOf, faultsOf, TIMESTAMP } from '../support/graphql.js'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

const AGENT = `id name description searchNiche searchLocation status totalProfilesFound totalLimit createdAt updatedAt`
const PAGE = 'pagination { page perPage total totalPages hasNext hasPrev nextCursor }'
const GET = `query ($id: ID!, $page: Int = 1, $limit: Int = 50) { instagramAgent(id: $id) { ${AGENT}
  profiles(page: $page, limit: $limit) { items { id username source addedAt } ${PAGE} } } }`
const LIST = `query ($filter: InstagramAgentFilter, $page: Int, $limit: Int) {
  instagramAgents(filter: $filter, page: $page, limit: $limit) { items { ${AGENT} } ${PAGE} } }`
const CREATE = `mutation ($input: CreateInstagramAgentInput!) { createInstagramAgent(input: $input) { ${AGENT} } }`
const UPDATE = `mutation ($id: ID!, $input: UpdateInstagramAgentInput!) {
  updateInstagramAgent(id: $id, input: $input) { ${AGENT} } }`
const DELETE = 'mutation ($id: ID!) { deleteInstagramAgent(id: $id) { id deleted } }'
const ADD = `mutation ($id: ID!, $input: InstagramProfileInput!) { addInstagramProfile(agentId: $id, input: $input) {
  profile { id username displayName bio followersCount extractedContacts { emails } addedAt } agent { ${AGENT} } } }`
const REMOVE = 'mutation ($id: ID!) { removeInstagramProfile(id: $id) { id deleted } }'

const make = ({ accountId }: Tenant, overrides = {}) => makeInstagramAgent(service.database, accountId, overrides)
const idOf = async (tenant: Tenant) => ({ id: (await make(tenant)).id })

describeGuards(
  () => service,
  [
    {
      name: 'createInstagramAgent',
      query: CREATE,
      permission: 'settings:write',
      variables: () => ({ input: { name: 'A' } }),
    },
    {
      name: 'updateInstagramAgent',
      query: UPDATE,
      permission: 'settings:write',
      id: 'id',
      variables: async (tenant) => ({ ...(await idOf(tenant)), input: { name: 'Changed' } }),
    },
    { name: 'deleteInstagramAgent', query: DELETE, permission: 'settings:write', id: 'id', variables: idOf },
    {
      name: 'addInstagramProfile',
      query: ADD,
      permission: 'instagram_agents:write',
      id: 'id',
      variables: async (tenant) => ({ ...(await idOf(tenant)), input: { username: 'a' } }),
    },
    {
      name: 'removeInstagramProfile',
      query: REMOVE,
      permission: 'settings:write',
      id: 'id',
      variables: async (tenant) => ({ id: (await make(tenant, { usernames: ['a'] })).profileIds[0] }),
    },
  ],
)

test('an agent is created, changed in the given fields alone, and deleted with its profiles', async () => {
  const tenant = await makeTenant(service)
  const bare = dataOf(await tenant.client.graphql(CREATE, { input: { name: ' Bare ' } }))
  const empty = { description: null, searchNiche: null, searchLocation: null, totalLimit: null }
  expect(bare).toEqual({
    id: expect.any(String),
    name: 'Bare',
    ...empty,
    status: 'ACTIVE',
    totalProfilesFound: 0,
    createdAt: TIMESTAMP,
    updatedAt: TIMESTAMP,
  })
  const full = { description: 'd', searchNiche: 'n', searchLocation: 'l', status: 'PAUSED', totalLimit: 3 }
  const changed = dataOf(await tenant.client.graphql(UPDATE, { id: bare.id.toUpperCase(), input: full }))
  expect(changed).toEqual({ ...bare, ...full, updatedAt: TIMESTAMP })
  const cleared = { ...empty, description: '' }
  const emptied = dataOf(await tenant.client.graphql(UPDATE, { id: bare.id, input: cleared }))
  expect(emptied).toEqual({ ...changed, ...empty, updatedAt: TIMESTAMP })
  expect(dataOf(await tenant.client.graphql(UPDATE, { id: bare.id, input: cleared }))).toEqual(emptied)
  dataOf(await tenant.client.graphql(ADD, { id: bare.id, input: { username: 'a' } }))
  expect(dataOf(await tenant.client.graphql(DELETE, { id: bare.id }))).toEqual({ id: bare.id, deleted: true })
  expect(failureOf(await tenant.client.graphql(GET, { id: bare.id })).code).toBe('NOT_FOUND')
  expect((await dumpOf(service.database, tenant.accountId)).instagram_profile).toEqual([])
})

test.each<[object, string[]]>([
  [{ name: '' }, ['input.name: must not be empty']],
  [{ name: 'x'.repeat(256) }, ['input.name: must have at most 255 characters']],
  [{ name: 'a', totalLimit: 0 }, ['input.totalLimit: must be 1 or more']],
  [
    { name: 'a', totalLimit: -5, status: null },
    ['input.status: must not be null', 'input.totalLimit: must be 1 or more'],
  ],
])('an agent is not stored with %j', async (input, faults) => {
  const tenant = await makeTenant(service)
  const { id } = await make(tenant)
  const before = await dumpOf(service.database, tenant.accountId)
  expect(faultsOf(await tenant.client.graphql(CREATE, { input })).toSorted()).toEqual(faults.toSorted())
  expect(faultsOf(await tenant.client.graphql(UPDATE, { id, input })).toSorted()).toEqual(faults.toSorted())
  expect(await dumpOf(service.database, tenant.accountId)).toEqual(before)
})

test('a limit below what an agent holds keeps its profiles and takes no more', async () => {
  const tenant = await makeTenant(service)
  const { id } = await make(tenant, { usernames: ['a', 'b', 'c'] })
  expect(dataOf(await tenant.client.graphql(UPDATE, { id, input: { totalLimit: 1 } })).totalProfilesFound).toBe(3)
  const add = () => tenant.client.graphql(ADD, { id, input: { username: 'd' } })
  expect(failureOf(await add()).code).toBe('LIMIT_REACHED')
  dataOf(await tenant.client.graphql(UPDATE, { id, input: { totalLimit: null } }))
  expect(dataOf(await add()).agent.totalProfilesFound).toBe(4)
})

test('profiles are added with what was sent, counted, and removed', async () => {
  const tenant = await makeTenant(service)
  const { id } = await make(tenant, { totalLimit: 1 })
  const input = { username: '@A', followersCount: 7, extractedContacts: { emails: ['a@b.co'] } }
  const { profile, agent } = dataOf(await tenant.client.graphql(ADD, { id, input }))
  expect(profile).toEqual({
    id: expect.any(String),
    username: 'a',
    displayName: 'a',
    bio: '',
    followersCount: 7,
    extractedContacts: { emails: ['a@b.co'] },
    addedAt: TIMESTAMP,
  })
  expect(agent).toMatchObject({ id, totalProfilesFound: 1, totalLimit: 1 })
  expect(dataOf(await tenant.client.graphql(REMOVE, { id: profile.id.toUpperCase() }))).toEqual({
    id: profile.id,
    deleted: true,
  })
  expect(failureOf(await tenant.client.graphql(REMOVE, { id: profile.id })).code).toBe('NOT_FOUND')
  const left = dataOf(await tenant.client.graphql(GET, { id }))
  expect(left).toMatchObject({ totalProfilesFound: 0, profiles: { items: [], pagination: { total: 0 } } })
  expect(left.updatedAt).toBe(agent.updatedAt)
  expect(dataOf(await tenant.client.graphql(ADD, { id, input })).agent.totalProfilesFound).toBe(1)
})

test('the count stays right while profiles are added and removed at once', async () => {
  const tenant = await makeTenant(service)
  const { id, profileIds } = await make(tenant, { usernames: Array.from({ length: 10 }, (_, i) => `old${i}`) })
  const calls = [
    ...profileIds.flatMap((one) => [one, one].map((each) => tenant.client.graphql(REMOVE, { id: each }))),
    ...Array.from({ length: 20 }, (_, i) => tenant.client.graphql(ADD, { id, input: { username: `old${i}` } })),
  ]
  for (const { body } of await Promise.all(calls)) {
    if (body.errors) expect(['NOT_FOUND', 'DUPLICATE_ERROR']).toContain(body.errors[0].extensions.code)
  }
  const { instagram_profile } = await dumpOf(service.database, tenant.accountId)
  const { totalProfilesFound } = dataOf(await tenant.client.graphql(GET, { id }))
  expect(totalProfilesFound).toBe(instagram_profile!.length)
  expect(totalProfilesFound).toBeGreaterThanOrEqual(10)
})

test('profiles are paged, the latest first, equal times by id, each once', async () => {
  const tenant = await makeTenant(service)
  const { id, profileIds } = await make(tenant, { usernames: Array.from({ length: 30 }, (_, i) => `user${i}`) })
  await service.database.pool.query(`update instagram_profile set added_at = '2026-01-01' where agent_id = $1`, [id])
  const late = dataOf(await tenant.client.graphql(ADD, { id, input: { username: 'late' } })).profile
  const ids: string[] = []
  for (let page = 1; page <= 5; page++) {
    const { profiles } = dataOf(await tenant.client.graphql(GET, { id, page, limit: 7 }))
    expect(profiles.pagination).toEqual({
      page,
      perPage: 7,
      total: 31,
      totalPages: 5,
      hasNext: page < 5,
      hasPrev: page > 1,
      nextCursor: page < 5 ? expect.any(String) : null,
    })
    ids.push(...profiles.items.map((one: { id: string }) => one.id))
  }
  expect(ids).toEqual([late.id, ...profileIds.toSorted().reverse()])
  const past = dataOf(await tenant.client.graphql(GET, { id, page: 9, limit: 1000 })).profiles
  expect(past).toMatchObject({ items: [], pagination: { page: 9, perPage: 100, total: 31 } })
})

test('profiles of many agents come in one statement', async () => {
  const tenant = await makeTenant(service)
  for (let i = 0; i < 5; i++) await make(tenant, { usernames: [`a${i}`, `b${i}`] })
  const query = '{ instagramAgents { items { id profiles(limit: 1) { items { username } pagination { total } } } } }'
  const { result, statements } = await service.statementsOf(() => tenant.client.graphql(query))
  const shown = dataOf(result).items.map(({ profiles }: { profiles: object }) => profiles)
  expect(shown).toEqual(Array(5).fill({ items: [{ username: expect.any(String) }], pagination: { total: 2 } }))
  expect(statements).toHaveLength(2)
})

test('agents are listed by status, and one of another account or of no id is NOT_FOUND', async () => {
  const [tenant, other] = [await makeTenant(service), await makeTenant(service)]
  await make(tenant, { name: 'Active' })
  await make(tenant, { name: 'Error', status: 'error' })
  const { id } = await make(other)
  const named = async (filter: object) =>
    dataOf(await tenant.client.graphql(LIST, { filter })).items.map(({ name }: { name: string }) => name)
  expect(await named({ status: 'ERROR' })).toEqual(['Error'])
  expect(await named({})).toEqual(['Error', 'Active'])
  for (const wrong of [id, randomUUID(), 'x']) {
    expect(failureOf(await tenant.client.graphql(GET, { id: wrong })).code).toBe('NOT_FOUND')
  }
})
