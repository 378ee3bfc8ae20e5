import { randomUUID } from 'node:crypto'
import { startTestApp, type TestApp } from '../support/app.js'
import { type Answer, type Client, createClient } from '../support/client.js'
import { makeConversation, makeReferences } from '../support/factories/conversations.js'
import { makeContact, makeKey, makeTag, makeTenant } from '../support/factories.js'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

/** The single field of a call's answer; a call that failed fails the test. */
function dataOf({ body }: Answer) {
  expect(body.errors).toBeUndefined()
  return Object.values(body.data)[0] as Answer['body']
}

const LIST = `query ($filter: ConversationFilter, $page: Int! = 1, $limit: Int! = 50) {
  conversations(filter: $filter, page: $page, limit: $limit) { items { groupName } pagination { total } } }`

const at = (ms: number) => new Date(Date.parse('2026-03-01T12:00:00.000Z') + ms)

/** The SQL of a query. */
async function sqlOf(call: () => Promise<Answer>): Promise<string[]> {
  const { result, statements } = await service.statementsOf(call)
  expect(result.body.errors).toBeUndefined()
  return statements
}

describe('conversations', () => {
  const groupsOf = async (client: Client, filter: object | null) => {
    const { items, pagination } = dataOf(await client.graphql(LIST, { filter }))
    expect(pagination.total).toBe(items.length)
    return items.map(({ groupName }: { groupName: string }) => groupName).toReversed()
  }

  test('are filtered by all that the filter has', async () => {
    const { accountId, client } = await makeTenant(service)
    const references = await makeReferences(service.database, accountId)
    const whole = { ...references, isGroup: true, channel: 'LINKEDIN', lastMessageAt: at(1), updatedAt: at(1) }
    const others = {
      contactId: null,
      opportunityId: null,
      campaignId: null,
      assignedUserId: null,
      isGroup: false,
      channel: 'LINKEDIN2',
      lastMessageAt: at(2),
    }
    await makeConversation(service.database, accountId, { ...whole, groupName: 'whole', createdAt: at(0) })
    for (const [i, [name, value]] of Object.entries(others).entries()) {
      const groupName = `not ${name}`
      await makeConversation(service.database, accountId, { ...whole, groupName, createdAt: at(i + 1), [name]: value })
    }
    const all = ['whole', ...Object.keys(others).map((name) => `not ${name}`)]
    const without = (name: string) => all.filter((group) => group !== `not ${name}`)
    const filters = {
      contactId: references.contactId,
      opportunityId: references.opportunityId,
      campaignId: references.campaignId,
      assignedUserId: references.assignedUserId,
      isGroup: true,
      channel: 'LinkedIn',
      lastMessageBefore: at(1).toISOString(),
    }
    expect(await groupsOf(client, null)).toEqual(all)
    expect(await groupsOf(client, {})).toEqual(all)
    for (const [name, value] of Object.entries(filters)) {
      const left = without(name === 'lastMessageBefore' ? 'lastMessageAt' : name)
      expect({ name, groups: await groupsOf(client, { [name]: value }) }).toEqual({ name, groups: left })
      expect(await groupsOf(client, { [name]: null })).toEqual(all)
    }
    expect(await groupsOf(client, filters)).toEqual(['whole'])
    expect(await groupsOf(client, { isGroup: false })).toEqual(['not isGroup'])
    for (const name of ['contactId', 'opportunityId', 'campaignId', 'assignedUserId']) {
      for (const unknown of [randomUUID(), 'nobody', ''])
        expect(await groupsOf(client, { [name]: unknown })).toEqual([])
    }
    expect(await groupsOf(client, { status: 'ACTIVE' })).toEqual(all)
    expect(await groupsOf(client, { status: 'closed' })).toEqual([])
    expect(await groupsOf(client, { channel: '%' })).toEqual([])
  })

  test('come in pages within bounds', async () => {
    const { accountId, client } = await makeTenant(service)
    for (const groupName of ['a', 'b', 'c']) await makeConversation(service.database, accountId, { groupName })
    const page = async (page: number, limit: number) => dataOf(await client.graphql(LIST, { page, limit })).items
    expect(await page(2, 2)).toEqual([{ groupName: 'a' }])
    expect(await page(-1, 1000)).toHaveLength(3)
    expect(await page(1, 0)).toEqual([{ groupName: 'c' }])
  })

  test('read what is selected and no more', async () => {
    const { accountId, client } = await makeTenant(service)
    await makeConversation(service.database, accountId, await makeReferences(service.database, accountId))
    const textOf = async (fields: string) => {
      const statements = await sqlOf(() => client.graphql(`{ conversations { items { ${fields} } } }`))
      expect(statements).toHaveLength(1)
      return statements[0]!
    }
    const bare = await textOf('channel')
    expect(bare).not.toMatch(/join lateral|qualification_score|last_message_at/)
    const named = await textOf('contactName sectorName')
    expect(named.match(/join lateral/g)).toHaveLength(2)
    expect(named).not.toMatch(/"r"."email"|app_user|opportunity|campaign/)
  })
})

const RELATIONS = `contact { id name tags { name } } opportunity { id title value stageId } campaign { id name status }
  aiAgent { id name type isActive } assignedUser { id name email role } sector { id name }`

describe('what a conversation refers to', () => {
  test('is shown whole, or as null', async () => {
    const { accountId, client } = await makeTenant(service)
    const tag = await makeTag(service.database, accountId, { name: 'Hot' })
    const contact = await makeContact(service.database, accountId, { name: 'Ana', tags: [tag] })
    const references = await makeReferences(service.database, accountId, contact.id)
    const { id } = await makeConversation(service.database, accountId, references)
    const get = (of: string) =>
      client.graphql(`query ($id: ID!) { conversation(id: $id) { ${RELATIONS} } }`, { id: of })
    expect(dataOf(await get(id))).toEqual({
      contact: { id: contact.id, name: 'Ana', tags: [{ name: 'Hot' }] },
      opportunity: { id: references.opportunityId, title: 'Kit', value: 0, stageId: expect.any(String) },
      campaign: { id: references.campaignId, name: 'Spring', status: 'DRAFT' },
      aiAgent: { id: references.aiAgentId, name: 'Sofia', type: 'whatsapp', isActive: true },
      assignedUser: { id: references.assignedUserId, name: 'Bia', email: expect.any(String), role: 'SELLER' },
      sector: { id: references.sectorId, name: 'Inside sales' },
    })
    const bare = await makeConversation(service.database, accountId)
    const nothing = {
      contact: null,
      opportunity: null,
      campaign: null,
      aiAgent: null,
      assignedUser: null,
      sector: null,
    }
    expect(dataOf(await get(bare.id))).toEqual(nothing)
  })

  test('takes one statement for each kind, however many conversations there are', async () => {
    const { accountId, client } = await makeTenant(service)
    const references = await makeReferences(service.database, accountId)
    const ask = () =>
      client.graphql(
        `{ conversations { items { ${RELATIONS.replace('tags { name }', '')} messages(limit: 2) { id } } } }`,
      )
    await makeConversation(service.database, accountId, { ...references, messages: [{}, {}, {}] })
    const one = await sqlOf(ask)
    expect(one).toHaveLength(1 + 6 + 1)
    for (let i = 0; i < 4; i++) {
      const contact = await makeContact(service.database, accountId)
      await makeConversation(service.database, accountId, { ...references, contactId: contact.id, messages: [{}] })
    }
    expect(await sqlOf(ask)).toHaveLength(one.length)
    const { items } = dataOf(await ask())
    expect(new Set(items.map(({ contact }: { contact: { id: string } }) => contact.id)).size).toBe(5)
  })

  test.each([
    ['contact', 'contacts:read'],
    ['opportunity', 'opportunities:read'],
    ['campaign', 'campaigns:read'],
    ['aiAgent', 'agents:read'],
    ['assignedUser', 'users:read'],
    ['sector', 'sectors:read'],
  ])('is shown only to who may read it: %s to %s', async (field, permission) => {
    const { accountId } = await makeTenant(service)
    const references = await makeReferences(service.database, accountId)
    await makeConversation(service.database, accountId, references)
    const ask = async (permissions: string[]) => {
      const { secret } = await makeKey(service.database, accountId, { permissions })
      return createClient(service.origin, secret).graphql(`{ conversations { items { channel ${field} { id } } } }`)
    }
    const { body } = await ask(['conversations:read'])
    expect(body.data).toBeUndefined()
    expect(body.errors).toMatchObject([
      { extensions: { code: 'INSUFFICIENT_PERMISSIONS', requiredPermission: permission } },
    ])
    expect(dataOf(await ask(['conversations:read', permission])).items).toEqual([
      { channel: 'WHATSAPP', [field]: { id: references[`${field}Id` as keyof typeof references] } },
    ])
  })
})

describe('messages', () => {
  const MESSAGES = 'query ($limit: Int!) { conversations { items { groupName messages(limit: $limit) { content } } } }'

  test('are the newest of each conversation of a list, oldest first', async () => {
    const { accountId, client } = await makeTenant(service)
    const said = (...contents: string[]) => contents.map((content) => ({ content }))
    await makeConversation(service.database, accountId, {
      groupName: 'a',
      createdAt: at(3),
      messages: said('1', '2', '3'),
    })
    await makeConversation(service.database, accountId, { groupName: 'b', createdAt: at(2) })
    await makeConversation(service.database, accountId, { groupName: 'c', createdAt: at(1), messages: said('4') })
    const expected = [
      { groupName: 'a', messages: said('2', '3') },
      { groupName: 'b', messages: [] },
      { groupName: 'c', messages: said('4') },
    ]
    expect(dataOf(await client.graphql(MESSAGES, { limit: 2 })).items).toEqual(expected)
    expect(dataOf(await client.graphql(MESSAGES, { limit: -1 })).items[0].messages).toEqual(said('3'))
    const two = '{ conversations { items { few: messages(limit: 1) { content } all: messages { content } } } }'
    expect(dataOf(await client.graphql(two)).items[0]).toEqual({ few: said('3'), all: said('1', '2', '3') })
  })

  test('of all conversations of a query are bounded together', async () => {
    const { accountId, client } = await makeTenant(service)
    for (let i = 0; i < 21; i++) await makeConversation(service.database, accountId, { messages: [{}] })
    expect(dataOf(await client.graphql(MESSAGES, { limit: 476 })).items).toHaveLength(21)
    for (const limit of [477, 500, 2_147_483_647]) {
      const { body } = await client.graphql(MESSAGES, { limit })
      expect(body.errors[0].extensions.code).toBe('QUERY_TOO_COMPLEX')
    }
  })
})

describe('who may read', () => {
  const QUERIES = ['{ conversations { items { id } } }', `{ conversation(id: "${randomUUID()}") { id } }`]

  test.each(QUERIES)('nobody without a key or the permission: %s', async (query) => {
    const codeOf = ({ body }: Answer) => body.errors[0].extensions
    expect(codeOf(await createClient(service.origin).graphql(query))).toMatchObject({ code: 'MISSING_API_KEY' })
    const { accountId } = await makeTenant(service)
    const { secret } = await makeKey(service.database, accountId, {
      permissions: ['contacts:*', 'conversations:write'],
    })
    expect(codeOf(await createClient(service.origin, secret).graphql(query))).toMatchObject({
      code: 'INSUFFICIENT_PERMISSIONS',
      requiredPermission: 'conversations:read',
    })
  })

  test('not another account', async () => {
    const [mine, theirs] = [await makeTenant(service), await makeTenant(service)]
    const { id } = await makeConversation(service.database, theirs.accountId)
    for (const one of [id, randomUUID(), 'nobody', '']) {
      const { body } = await mine.client.graphql('query ($id: ID!) { conversation(id: $id) { id } }', { id: one })
      expect(body.data.conversation).toBeNull()
      expect(body.errors[0].extensions).toEqual({ code: 'NOT_FOUND' })
    }
    expect(dataOf(await mine.client.graphql(LIST)).items).toEqual([])
  })
})
