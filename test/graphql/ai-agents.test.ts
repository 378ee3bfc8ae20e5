import { randomUUID } from 'node:crypto'
import { startTestApp, type TestApp } from '../support/app.js'
import { createClient } from '../support/client.js'
import { makeChannelAccount } from '../support/factories/channels.js'
import { makeAiAgent, makeArticle } from '../support/factories/conversations.js'
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
