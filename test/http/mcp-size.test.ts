import { startTestApp, type TestApp } from '../support/app.js'
import { makeAiAgent, makeArticle, makeConversation } from '../support/factories/conversations.js'
import { makeSector } from '../support/factories/reference.js'
import { makeContact, makeTenant, type Tenant } from '../support/factories.js'
import { callTool, connectAssistant, wordsOf } from '../support/mcp.js'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

const MAX = 100_000
const LONG = `solar ${'x'.repeat(19_000)}`

/** Calls a tool; the client compares the answer with the tool's schema, of which it has asked before. */
async function ask({ key }: Tenant, name: string, args: Record<string, unknown>) {
  const assistant = await connectAssistant(service.origin, key)
  await assistant.listTools()
  const result = await callTool(assistant, name, args)
  await assistant.close()
  const { data } = Object(result.structuredContent)
  return { ...result, data, words: wordsOf(result), shortened: result._meta?.['fairlead/shortened'] }
}

test('of twenty long articles the best come whole, and the answer tells how many there are', async () => {
  const tenant = await makeTenant(service)
  const agent = await makeAiAgent(service.database, tenant.accountId)
  for (let i = 0; i < 20; i++)
    await makeArticle(service.database, tenant.accountId, agent.id, { name: `Solar ${i}`, content: LONG })
  const { client } = tenant
  const all = (await client.get(`/ai-agents/${agent.id}/knowledge?query=solar&limit=20`)).body.data
  expect(all).toHaveLength(20)
  const found = await ask(tenant, 'search_ai_agent_knowledge', { id: agent.id, query: 'solar', limit: 20 })
  expect(found.isError).toBeUndefined()
  expect(found.data).toEqual(all.slice(0, 5))
  expect(found.shortened).toEqual([{ path: 'data', kept: 5, of: 20, which: 'first' }])
  expect(found.words).toContain('too long to read: data holds the first 5 of 20')
  expect(JSON.stringify(found.structuredContent).length).toBeLessThanOrEqual(MAX)
  expect(JSON.parse(found.words.split('\n')[0]!)).toEqual(found.structuredContent)
})

test('of many notes the newest come, and of many messages', async () => {
  const tenant = await makeTenant(service)
  const { accountId, client } = tenant
  const contact = await makeContact(service.database, accountId, { notes: Array.from({ length: 8 }, () => LONG) })
  const { notes } = (await client.get(`/contacts/${contact.id}`)).body.data
  const got = await ask(tenant, 'get_contact', { id: contact.id })
  expect(got.data.notes).toEqual(notes.slice(3))
  expect(got.words).toContain('data.notes holds the last 5 of 8')

  const messages = Array.from({ length: 60 }, (_, i) => ({ content: `${i} ${'x'.repeat(3000)}` }))
  const { id } = await makeConversation(service.database, accountId, { messages })
  const talk = await ask(tenant, 'get_conversation', { id })
  const said = (await client.get(`/conversations/${id}`)).body.data.messages
  expect(talk.data.messages).toEqual(said.slice(-talk.data.messages.length))
  expect(talk.words).toContain(`data.messages holds the last ${talk.data.messages.length} of 60`)
  expect((await ask(tenant, 'get_conversation', { id, messages_limit: 5 })).shortened).toBeUndefined()
})

test('of a page that is too long is told which limit fits', async () => {
  const tenant = await makeTenant(service)
  for (let i = 0; i < 9; i++) await makeSector(service.database, tenant.accountId, { description: LONG })
  const { isError, words } = await ask(tenant, 'list_sectors', {})
  expect(isError).toBe(true)
  expect(words).toMatch(/^VALIDATION_ERROR: .* ask for less, with limit 5\./)
  const page = await ask(tenant, 'list_sectors', { limit: 5 })
  expect(page.data).toHaveLength(5)
  const { next_cursor: cursor } = Object(page.structuredContent).pagination
  expect((await ask(tenant, 'list_sectors', { limit: 5, cursor })).data).toHaveLength(4)
})

test('what has changed something is answered, however much there is to tell', async () => {
  const tenant = await makeTenant(service)
  const { client } = tenant
  const { id } = (await client.post('/opportunities', { name: 'Ana' })).body.data
  const comment = `mutation ($id: ID!, $content: String!) { addOpportunityComment(id: $id, input: { content: $content }) { id } }`
  for (let i = 0; i < 7; i++) await client.graphql(comment, { id, content: LONG })
  const changed = await ask(tenant, 'update_opportunity', { id, score: 7 })
  expect(changed.data).toMatchObject({ id, score: 7 })
  expect(changed.shortened).toEqual([{ path: 'data.comments', kept: 5, of: 7, which: 'last' }])
})
