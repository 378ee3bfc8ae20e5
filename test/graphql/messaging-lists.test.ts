import { randomUUID } from 'node:crypto'
import type { Database } from '../../src/database/index.js'
import { AiAgentStatus } from '../../src/domains/agents/index.js'
import { ChannelAccountStatus } from '../../src/domains/channels/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { type Client, createClient } from '../support/client.js'
import { makeChannelAccount } from '../support/factories/channels.js'
import { makeAiAgent, makeArticle } from '../support/factories/conversations.js'
import { makeKey, makeTenant } from '../support/factories.js'
import { dataOf, failureOf, faultsOf } from '../support/graphql.js'
import { SEARCHED_NAMES, SEARCHES } from '../support/searches.js'

// The lists of what agents and channels are made of, which GraphQL alone has, or which it has with more than REST.

let service: TestApp
// Row security would hide a condition that a statement forgot; it is off unless an operator turns it on.
let unwalled: TestApp
beforeAll(async () => {
  const settings = { encryptionKey: Buffer.alloc(32, 5) }
  service = await startTestApp(settings)
  unwalled = await startTestApp({ ...settings, rowSecurity: false })
})
afterAll(() => Promise.all([service.stop(), unwalled.stop()]))

type Make = (database: Database, accountId: string, name: string, id: string) => Promise<unknown>
interface Kind {
  field: string
  permission: string
  make: Make
}

const agentsOf = new Map<string, string>()
const makeOwnArticle: Make = async (database, accountId, name, id) => {
  const agentId = agentsOf.get(accountId) ?? (await makeAiAgent(database, accountId)).id
  agentsOf.set(accountId, agentId)
  return makeArticle(database, accountId, agentId, { name, id })
}
const makeAccount: Make = async (database, accountId, name, id) => {
  const made = await makeChannelAccount(database, accountId, { name })
  return database.pool.query('update channel_account set id = $1 where id = $2', [id, made.id])
}
const KINDS: Kind[] = [
  { field: 'channelAccounts', permission: 'channels:read', make: makeAccount },
  {
    field: 'aiAgents',
    permission: 'agents:read',
    make: (db, accountId, name, id) => makeAiAgent(db, accountId, { name, id }),
  },
  { field: 'knowledgeArticles', permission: 'knowledge:read', make: makeOwnArticle },
]

interface Asked {
  page?: number
  limit?: number
  search?: string
  cursor?: string
}
interface Page {
  items: { id: string; name: string }[]
  pagination: Record<string, unknown>
}

const queryOf = ({ field }: Kind) => `query ($page: Int! = 1, $limit: Int! = 50, $search: String, $cursor: String) {
  ${field}(page: $page, limit: $limit, search: $search, cursor: $cursor) {
    items { id name }
    pagination { page perPage total totalPages hasNext hasPrev nextCursor } } }`
const list = async (client: Client, kind: Kind, asked: Asked = {}): Promise<Page> =>
  dataOf(await client.graphql(queryOf(kind), { ...asked }))
const namesOf = async (client: Client, kind: Kind, search?: string) => {
  const { items, pagination } = await list(client, kind, { search })
  expect(pagination.total).toBe(items.length)
  return items.map(({ name }) => name)
}

/** A new account with records of these names, whose ids are in no order: they must not help the sort. */
async function accountWith({ make }: Kind, names: string[], app = service) {
  const tenant = await makeTenant(app)
  for (const name of names) await make(app.database, tenant.accountId, name, randomUUID())
  return tenant
}

describe.each(KINDS.map((kind) => [kind.field, kind] as const))('%s', (_, kind) => {
  test('of an account that has none are an empty page', async () => {
    const { client } = await makeTenant(service)
    expect(await list(client, kind)).toEqual({
      items: [],
      pagination: { page: 1, perPage: 50, total: 0, totalPages: 0, hasNext: false, hasPrev: false, nextCursor: null },
    })
  })

  test('are in the order of their names, without case and accents', async () => {
    const { client } = await accountWith(kind, ['zebra', 'Éclair', 'Abel', 'ábaco', 'eclipse', '_x', '10'])
    expect(await namesOf(client, kind)).toEqual(['10', '_x', 'ábaco', 'Abel', 'Éclair', 'eclipse', 'zebra'])
  })

  test.each([undefined, 'a'])(
    'of one name are in the order of their ids, by pages and by cursors, with search %s',
    async (search) => {
      const { client } = await accountWith(
        kind,
        Array.from({ length: 10 }, (_, i) => 'aáàâã'[i % 5]!),
      )
      const byNumber: string[] = []
      const byCursor: string[] = []
      let cursor: string | undefined
      for (const page of [1, 2, 3, 4]) {
        const { items, pagination } = await list(client, kind, { page, limit: 3, search })
        const nextCursor = page < 4 ? expect.any(String) : null
        const ends = { hasNext: page < 4, hasPrev: page > 1, nextCursor }
        expect(pagination).toEqual({ page, perPage: 3, total: 10, totalPages: 4, ...ends })
        byNumber.push(...items.map(({ id }) => id))
        const next = await list(client, kind, { limit: 3, search, cursor })
        byCursor.push(...next.items.map(({ id }) => id))
        cursor = next.pagination.nextCursor as string
      }
      expect(byNumber).toEqual([...new Set(byNumber)].toSorted())
      expect(byNumber).toHaveLength(10)
      expect(byCursor).toEqual(byNumber)
    },
  )

  test('past the end are none, with true totals; a page has 1 to 100', async () => {
    const { client } = await accountWith(kind, ['a', 'b', 'ab'])
    for (const [search, total] of [
      [undefined, 3],
      ['a', 2],
    ] as const) {
      const { items, pagination } = await list(client, kind, { page: 5, search })
      expect(items).toEqual([])
      expect(pagination).toMatchObject({
        page: 5,
        total,
        totalPages: 1,
        hasNext: false,
        hasPrev: true,
        nextCursor: null,
      })
    }
    expect((await list(client, kind, { page: 0, limit: 1000 })).pagination).toMatchObject({
      page: 1,
      perPage: 100,
      total: 3,
    })
    expect((await list(client, kind, { limit: 0 })).pagination).toMatchObject({ perPage: 1, totalPages: 3 })
    expect(faultsOf(await client.graphql(queryOf(kind), { cursor: 'nonsense' }))).toHaveLength(1)
  })

  test.each(SEARCHES)('searched for "%s" are %j', async (search, expected) => {
    expect(await namesOf((await accountWith(kind, SEARCHED_NAMES)).client, kind, search)).toEqual(expected)
  })

  test.each<[string, () => TestApp]>([
    ['with row security', () => service],
    ['without it', () => unwalled],
  ])('of another account never show, %s', async (_, appOf) => {
    const mine = await accountWith(kind, ['Mine', 'Shared'], appOf())
    await accountWith(kind, ['Theirs', 'Shared'], appOf())
    expect(await namesOf(mine.client, kind)).toEqual(['Mine', 'Shared'])
    expect(await namesOf(mine.client, kind, 'theirs')).toEqual([])
    expect((await list(mine.client, kind, { page: 7 })).pagination.total).toBe(2)
  })

  test('need a key that may read them', async () => {
    const { accountId } = await makeTenant(service)
    const { field, permission } = kind
    const ask = (client: Client) => client.graphql(`{ ${field} { items { id } } }`)
    expect(failureOf(await ask(createClient(service.origin))).code).toBe('MISSING_API_KEY')
    for (const [granted, code] of [
      [permission, undefined],
      ['contacts:read', 'INSUFFICIENT_PERMISSIONS'],
    ] as const) {
      const { secret } = await makeKey(service.database, accountId, { permissions: [granted] })
      const { body } = await ask(createClient(service.origin, secret))
      expect(body.errors?.[0].extensions.code).toBe(code)
    }
  })

  test.each<[Asked, number]>([
    [{}, 1],
    [{ page: 2, limit: 1 }, 1],
    [{ search: 'a', page: 2, limit: 1 }, 1],
    [{ page: 9 }, 2],
  ])('are read in few statements: %j in %i', async (asked, count) => {
    const { client } = await accountWith(kind, ['a', 'ab'])
    const { result, statements } = await service.statementsOf(() => client.graphql(queryOf(kind), { ...asked }))
    expect([result.body.errors, statements.length]).toEqual([undefined, count])
  })
})

test('agents are those that work, those that do not, or all; who was deleted is none of them', async () => {
  const { client, accountId } = await makeTenant(service)
  const make = (name: string, more: object) => makeAiAgent(service.database, accountId, { name, ...more })
  for (const name of ['Bia', 'Ana']) await make(name, {})
  await make('Leo', { status: AiAgentStatus.PAUSED })
  await make('Gone', { deletedAt: new Date() })
  const found = async (given: string) =>
    dataOf(await client.graphql(`{ aiAgents${given} { items { name } } }`)).items.map(
      ({ name }: Page['items'][0]) => name,
    )
  expect(await found('')).toEqual(['Ana', 'Bia', 'Leo'])
  expect(await found('(isActive: true)')).toEqual(['Ana', 'Bia'])
  expect(await found('(isActive: false)')).toEqual(['Leo'])
  expect(await found('(isActive: true, search: "l")')).toEqual([])
})

test('what is disconnected is listed among what is connected', async () => {
  const { client, accountId } = await makeTenant(service)
  await makeChannelAccount(service.database, accountId, { name: 'B' })
  await makeChannelAccount(service.database, accountId, { name: 'A', status: ChannelAccountStatus.DISCONNECTED })
  const { body } = await client.graphql('{ channelAccounts { items { name status } } }')
  expect(body.data.channelAccounts.items).toEqual([
    { name: 'A', status: 'DISCONNECTED' },
    { name: 'B', status: 'CONNECTED' },
  ])
})
