import { randomUUID } from 'node:crypto'
import { startTestApp, type TestApp } from '../support/app.js'
import { createClient } from '../support/client.js'
import { makeChannelAccount } from '../support/factories/channels.js'
import { makeAiAgent, makeArticle } from '../support/factories/conversations.js'
import { makePipeline } from '../support/factories/pipelines.js'
import { makeKey, makeTenant } from '../support/factories.js'
import { dataOf } from '../support/graphql.js'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp({ encryptionKey: Buffer.alloc(32) })
})
afterAll(() => service.stop())

const FIELDS = `id name type status isActive channelAccountId persona opening openingTemplate { name language parameters }
  scripts { keywords reply } fallback criteria { name keywords points }`
const CREATE = `mutation ($input: CreateAiAgentInput!) { createAiAgent(input: $input) { ${FIELDS} } }`
const UPDATE = `mutation ($id: ID!, $input: UpdateAiAgentInput!) { updateAiAgent(id: $id, input: $input) { ${FIELDS} } }`
const READ = `query ($id: ID!) { aiAgent(id: $id) { ${FIELDS} } }`
const LIST =
  'query ($search: String, $isActive: Boolean) { aiAgents(search: $search, isActive: $isActive) { items { name } } }'
const DELETE = 'mutation ($id: ID!) { deleteAiAgent(id: $id) { deleted } }'
const SEARCH = `query ($id: ID!, $query: String!, $limit: Int! = 5) {
  searchKnowledge(aiAgentId: $id, query: $query, limit: $limit) { name } }`
const codeOf = ({ body }: { body: { errors?: { extensions: { code: string } }[] } }) =>
  body.errors?.[0]?.extensions.code

const WHOLE = {
  persona: 'Friendly.',
  opening: 'Hello {{first_name}}',
  openingTemplate: { name: 'hello', language: 'pt_BR', parameters: ['{{first_name}}'] },
  scripts: [{ keywords: ['price'], reply: '100' }],
  fallback: 'Sorry?',
  criteria: [{ name: 'Budget', keywords: ['budget'], points: 40 }],
}

test('an agent is made with all that it says and goes by, changed and deleted', async () => {
  const { client, accountId } = await makeTenant(service)
  const channel = await makeChannelAccount(service.database, accountId)
  const input = { name: 'Sofia', type: 'WHATSAPP', channelAccountId: channel.id, ...WHOLE }
  const made = dataOf(await client.graphql(CREATE, { input }))
  expect(made).toMatchObject({ ...input, type: 'whatsapp', status: 'ACTIVE', isActive: true })
  expect(dataOf(await client.graphql(READ, { id: made.id }))).toEqual(made)
  const changes = { status: 'PAUSED', openingTemplate: null, scripts: [], persona: '' }
  const changed = dataOf(await client.graphql(UPDATE, { id: made.id, input: changes }))
  expect(changed).toEqual({
    ...made,
    status: 'PAUSED',
    isActive: false,
    openingTemplate: null,
    scripts: [],
    persona: null,
  })
  expect(dataOf(await client.graphql(LIST, { isActive: true })).items).toEqual([])
  expect(dataOf(await client.graphql(LIST, { isActive: false, search: 'SOF' })).items).toEqual([{ name: 'Sofia' }])
  expect(dataOf(await client.graphql(DELETE, { id: made.id }))).toEqual({ deleted: true })
  expect(codeOf(await client.graphql(READ, { id: made.id }))).toBe('NOT_FOUND')
})

test.each([
  ['a channel account of another account', { channelAccountId: randomUUID() }],
  ['a keyword without a word', { scripts: [{ keywords: ['!'], reply: 'x' }] }],
  ['too many points', { criteria: [{ name: 'x', keywords: ['x'], points: 101 }] }],
  ['too many scripts', { scripts: Array.from({ length: 101 }, () => ({ keywords: ['x'], reply: 'x' })) }],
  ['no name', { name: '' }],
])('%s is refused', async (_, more) => {
  const { client } = await makeTenant(service)
  const answer = await client.graphql(CREATE, { input: { name: 'Sofia', type: 'WHATSAPP', ...more } })
  expect(codeOf(answer)).toBe('VALIDATION_ERROR')
  expect(dataOf(await client.graphql(LIST)).items).toEqual([])
})

describe('what an agent knows', () => {
  const WRITE = 'mutation ($input: CreateKnowledgeArticleInput!) { createKnowledgeArticle(input: $input) { id } }'
  const NAMES = '{ knowledgeArticles { items { name } pagination { total } } }'
  const articles = async (tenant: Awaited<ReturnType<typeof makeTenant>>) =>
    dataOf(await tenant.client.graphql(NAMES)).items.map(({ name }: { name: string }) => name)

  test('goes with it when it is deleted, and nothing of others does', async () => {
    const [tenant, other] = [await makeTenant(service), await makeTenant(service)]
    const { database } = service
    const [sofia, rita] = [await makeAiAgent(database, tenant.accountId), await makeAiAgent(database, tenant.accountId)]
    for (const name of ['Prices', 'Hours']) await makeArticle(database, tenant.accountId, sofia.id, { name })
    await makeArticle(database, tenant.accountId, rita.id, { name: 'Places' })
    // An id that is somebody else's deletes nothing.
    expect(codeOf(await other.client.graphql(DELETE, { id: sofia.id }))).toBe('NOT_FOUND')
    expect(await articles(tenant)).toEqual(['Hours', 'Places', 'Prices'])
    dataOf(await tenant.client.graphql(DELETE, { id: sofia.id.toUpperCase() }))
    expect(await articles(tenant)).toEqual(['Places'])
    const input = { aiAgentId: sofia.id, name: 'Late', content: 'Too late' }
    expect(codeOf(await tenant.client.graphql(WRITE, { input }))).toBe('VALIDATION_ERROR')
  })

  test('is gone in the end, too, where it is written while the agent is deleted', async () => {
    const tenant = await makeTenant(service)
    for (let round = 0; round < 8; round++) {
      const { id } = await makeAiAgent(service.database, tenant.accountId)
      const write = (name: string) => tenant.client.graphql(WRITE, { input: { aiAgentId: id, name, content: 'Text' } })
      await Promise.all([write(`a ${round}`), tenant.client.graphql(DELETE, { id }), write(`b ${round}`)])
      expect(await articles(tenant)).toEqual([])
    }
  })
})

test('agents are managed by who may, and of the own account alone', async () => {
  const { accountId } = await makeTenant(service)
  const agent = await makeAiAgent(service.database, accountId)
  const { secret } = await makeKey(service.database, accountId, { permissions: ['agents:read'] })
  const reader = createClient(service.origin, secret)
  const stranger = (await makeTenant(service)).client
  expect(dataOf(await reader.graphql(READ, { id: agent.id })).name).toBe(agent.name)
  expect(codeOf(await reader.graphql(UPDATE, { id: agent.id, input: {} }))).toBe('INSUFFICIENT_PERMISSIONS')
  expect(codeOf(await reader.graphql(SEARCH, { id: agent.id, query: 'x' }))).toBe('INSUFFICIENT_PERMISSIONS')
  expect(codeOf(await stranger.graphql(READ, { id: agent.id }))).toBe('NOT_FOUND')
  expect(codeOf(await stranger.graphql(UPDATE, { id: agent.id, input: {} }))).toBe('NOT_FOUND')
  expect(codeOf(await stranger.graphql(SEARCH, { id: agent.id, query: 'x' }))).toBe('NOT_FOUND')
})

test('"" empties what an agent sends from, as null does', async () => {
  const { client, accountId } = await makeTenant(service)
  const channel = await makeChannelAccount(service.database, accountId)
  const input = { name: 'Sofia', type: 'WHATSAPP', channelAccountId: '' }
  const made = dataOf(await client.graphql(CREATE, { input }))
  expect(made.channelAccountId).toBeNull()
  const change = async (channelAccountId: string | null) =>
    dataOf(await client.graphql(UPDATE, { id: made.id, input: { channelAccountId } })).channelAccountId
  expect([await change(channel.id), await change(''), await change(channel.id), await change(null)]).toEqual([
    channel.id,
    null,
    channel.id,
    null,
  ])
})

describe('an entry agent', () => {
  const SET = `mutation ($id: ID!, $agent: ID) {
    updatePipeline(id: $id, input: { entryAgentId: $agent }) { id entryAgentId updatedAt } }`

  test('that is deleted is no longer that of its pipelines, which is written down, and cannot be made it', async () => {
    const { client, accountId } = await makeTenant(service)
    const { database } = service
    const [agent, other] = [await makeAiAgent(database, accountId), await makeAiAgent(database, accountId)]
    const ids = (await Promise.all([1, 2, 3].map(() => makePipeline(database, accountId)))).map(({ id }) => id)
    const set = (id: string, to: string | null) => client.graphql(SET, { id, agent: to })
    const before = []
    for (const [i, id] of ids.entries()) before.push(dataOf(await set(id, i < 2 ? agent.id : other.id)))
    dataOf(await client.graphql(DELETE, { id: agent.id }))
    const { body } = await client.graphql('{ pipelines { id entryAgentId updatedAt } }')
    const now = new Map(body.data.pipelines.map((one: { id: string }) => [one.id, one]))
    expect(ids.map((id) => now.get(id))).toEqual([
      { id: ids[0], entryAgentId: null, updatedAt: expect.not.stringMatching(before[0].updatedAt) },
      { id: ids[1], entryAgentId: null, updatedAt: expect.not.stringMatching(before[1].updatedAt) },
      before[2],
    ])
    const written = `select subject_id || ' ' || action || ' ' || array_to_string(fields, ',') as said from audit_entry
      where account_id = $1 order by id desc limit 3`
    const { rows } = await database.pool.query(written, [accountId])
    const taken = [ids[0], ids[1]].map((id) => `${id} updated entryAgentId`)
    expect(rows.map(({ said }) => said).sort()).toEqual([`${agent.id} deleted `, ...taken].sort())
    expect(codeOf(await set(ids[0]!, agent.id))).toBe('VALIDATION_ERROR')
    expect(codeOf(await client.graphql(DELETE, { id: agent.id }))).toBe('NOT_FOUND')
    expect(dataOf(await set(ids[2]!, '')).entryAgentId).toBeNull()
  })

  test("of another account's pipelines stays where somebody else names its id for deletion", async () => {
    const { client, accountId } = await makeTenant(service)
    const agent = await makeAiAgent(service.database, accountId)
    const { id } = await makePipeline(service.database, accountId, { entryAgentId: agent.id })
    const stranger = (await makeTenant(service)).client
    expect(codeOf(await stranger.graphql(DELETE, { id: agent.id }))).toBe('NOT_FOUND')
    const { body } = await client.graphql('{ pipelines { id entryAgentId } }')
    expect(body.data.pipelines).toContainEqual({ id, entryAgentId: agent.id })
  })

  test('that is deleted while it is made one is none in the end, whichever comes first', async () => {
    const { client, accountId } = await makeTenant(service)
    const { database } = service
    const calls = Array.from({ length: 12 }, async (_, i) => {
      const [{ id }, agent] = [await makePipeline(database, accountId), await makeAiAgent(database, accountId)]
      const both = [() => client.graphql(SET, { id, agent: agent.id }), () => client.graphql(DELETE, { id: agent.id })]
      return Promise.all((i % 2 ? both : both.reverse()).map((call) => call()))
    })
    await Promise.all(calls)
    const left = `select p.id from pipeline p join ai_agent a on a.id = p.entry_agent_id
      where p.account_id = $1 and a.deleted_at is not null`
    expect((await database.pool.query(left, [accountId])).rows).toEqual([])
  })
})

describe('articles', () => {
  const ARTICLES: [string, string][] = [
    ['Instalação', 'Nossos instaladores instalam o kit solar em dois dias.'],
    ['Garantia', 'A garantia dos painéis é de vinte e cinco anos.'],
    ['Pagamento', 'Parcelamos em até doze vezes no cartão.'],
  ]
  async function library() {
    const { database } = service
    const { client, accountId } = await makeTenant(service)
    const agent = await makeAiAgent(database, accountId)
    const add = `mutation ($input: CreateKnowledgeArticleInput!) { createKnowledgeArticle(input: $input) { id } }`
    for (const [name, content] of ARTICLES) {
      dataOf(await client.graphql(add, { input: { aiAgentId: agent.id, name, content } }))
    }
    await makeArticle(database, accountId, (await makeAiAgent(database, accountId)).id, {
      content: 'A garantia do outro.',
    })
    const find = async (query: string, limit = 5) =>
      (dataOf(await client.graphql(SEARCH, { id: agent.id, query, limit })) as { name: string }[]).map(
        ({ name }) => name,
      )
    return { client, find, agent }
  }

  test('are found by words as the language bends them, with and without accents, the best first', async () => {
    const { find } = await library()
    expect(await find('garantias')).toEqual(['Garantia'])
    expect(await find('instalar garantias')).toEqual(expect.arrayContaining(['Instalação', 'Garantia']))
    expect(await find('INSTALACAO')).toEqual(['Instalação'])
    expect(await find('paineis')).toEqual(['Garantia'])
    expect(await find('cartao')).toEqual(['Pagamento'])
    expect(await find('garantia cartão solar', 1)).toHaveLength(1)
  })

  test.each(["'", '"', '!!! & | ( <->', 'a:*', "x' or 1=1 --", '\\', 'não existe tal palavra xyz'])(
    'a question of %j finds nothing, and breaks nothing',
    async (query) => {
      const { find } = await library()
      expect(Array.isArray(await find(query))).toBe(true)
    },
  )
})
