import { randomUUID } from 'node:crypto'
import { type Conversation, ConversationStatus, SenderType } from '../../src/domains/conversations/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { type Client, createClient } from '../support/client.js'
import { makeBareOpportunity, makeConversation, makeReferences } from '../support/factories/conversations.js'
import { makeContact, makeKey, makeTenant } from '../support/factories.js'

let service: TestApp
// Row security would hide a condition that a statement forgot; it is off unless an operator turns it on.
let unwalled: TestApp
beforeAll(async () => {
  ;[service, unwalled] = await Promise.all([startTestApp(), startTestApp({ rowSecurity: false })])
})
afterAll(() => Promise.all([service.stop(), unwalled.stop()]))

type Asked = Record<string, string | number>

const list = (client: Client, parameters: Asked = {}) => {
  const pairs = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return client.get(`/conversations?${pairs.join('&')}`)
}

/** The names of the groups that are found, oldest first, to tell conversations apart by. */
async function groupsOf(client: Client, parameters: Asked): Promise<string[]> {
  const { status, body } = await list(client, { limit: 100, ...parameters })
  expect({ status, total: body.pagination?.total }).toEqual({ status: 200, total: body.data?.length })
  return body.data.map(({ group_name }: { group_name: string }) => group_name).reverse()
}

const at = (ms: number) => new Date(Date.parse('2026-03-01T12:00:00.000Z') + ms)
const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

/** Conversations of a new account, which tell each other apart by the name of their group, in the order of creation. */
async function accountWith(...conversations: Partial<Conversation>[]) {
  const tenant = await makeTenant(service)
  for (const [i, conversation] of conversations.entries()) {
    await makeConversation(service.database, tenant.accountId, { createdAt: at(i), ...conversation })
  }
  return tenant
}

/** What a conversation shows that refers to nothing and in which nothing was said. */
const BARE = {
  status: 'active',
  channel: 'WHATSAPP',
  contact_id: null,
  opportunity_id: null,
  campaign_id: null,
  ai_agent_id: null,
  assigned_user_id: null,
  sector_id: null,
  qualification_score: null,
  qualification_stage: null,
  qualification_reasons: null,
  objections_history: null,
  last_message_at: null,
  contact_name: null,
  contact_email: null,
  contact_phone: null,
  contact_company: null,
  opportunity_title: null,
  campaign_name: null,
  ai_agent_name: null,
  assigned_user_name: null,
  assigned_user_email: null,
  sector_name: null,
}

/** A conversation with something in every field, and what it shows. */
async function makeRich(
  { database }: TestApp,
  accountId: string,
  overrides: Parameters<typeof makeConversation>[2] = {},
) {
  const person = { name: 'Ana Souza', email: 'ana@x.test', phone: '+5511999990000', company: 'Aurora' }
  const contact = await makeContact(database, accountId, person)
  const references = await makeReferences(database, accountId, contact.id)
  const conversation = await makeConversation(database, accountId, {
    ...references,
    status: ConversationStatus.MANUAL,
    channel: 'INSTAGRAM',
    qualificationScore: 80,
    qualificationStage: 'hot',
    qualificationReasons: ['Has a "budget"', 'Decides'],
    objectionsHistory: [],
    lastMessageAt: at(9),
    createdAt: at(1),
    ...overrides,
  })
  const shown = {
    id: conversation.id,
    status: 'manual',
    channel: 'INSTAGRAM',
    contact_id: contact.id,
    opportunity_id: references.opportunityId,
    campaign_id: references.campaignId,
    ai_agent_id: references.aiAgentId,
    assigned_user_id: references.assignedUserId,
    sector_id: references.sectorId,
    qualification_score: 80,
    qualification_stage: 'hot',
    qualification_reasons: ['Has a "budget"', 'Decides'],
    objections_history: [],
    last_message_at: '2026-03-01T12:00:00.009Z',
    created_at: '2026-03-01T12:00:00.001Z',
    updated_at: TIMESTAMP,
    contact_name: 'Ana Souza',
    contact_email: 'ana@x.test',
    contact_phone: '+5511999990000',
    contact_company: 'Aurora',
    opportunity_title: 'Kit',
    campaign_name: 'Spring',
    ai_agent_name: 'Sofia',
    assigned_user_name: 'Bia',
    assigned_user_email: `bia.${accountId}@x.test`,
    sector_name: 'Inside sales',
  }
  return { conversation, references, shown }
}

describe('the list', () => {
  test('has every field of a conversation with the names of what it refers to', async () => {
    const { accountId, client } = await makeTenant(service)
    const { shown } = await makeRich(service, accountId)
    const { status, body } = await client.get('/conversations')
    expect(status).toBe(200)
    expect(body).toEqual({
      success: true,
      data: [{ ...shown, is_group: false, group_name: null }],
      pagination: {
        page: 1,
        per_page: 50,
        total: 1,
        total_pages: 1,
        has_next: false,
        has_prev: false,
        next_cursor: null,
      },
    })
  })

  test('has null for what is empty, and groups among the others', async () => {
    const { client } = await accountWith({}, { isGroup: true, groupName: 'Buyers' })
    const { body } = await client.get('/conversations')
    const stamps = { id: expect.any(String), created_at: TIMESTAMP, updated_at: TIMESTAMP }
    expect(body.data).toEqual([
      { ...BARE, ...stamps, is_group: true, group_name: 'Buyers' },
      { ...BARE, ...stamps, is_group: false, group_name: null },
    ])
  })

  test('still names what is no longer offered', async () => {
    const { accountId, client } = await makeTenant(service)
    const { shown } = await makeRich(service, accountId)
    for (const table of ['sector', 'app_user', 'campaign']) {
      await service.database.pool.query(`update ${table} set deleted_at = now() where account_id = $1`, [accountId])
    }
    expect((await client.get('/conversations')).body.data).toEqual([{ ...shown, is_group: false, group_name: null }])
  })

  test('is newest first', async () => {
    const { client } = await accountWith(
      ...[2, 1, 86_400_000, 3].map((ms) => ({ groupName: String(ms), createdAt: at(ms) })),
    )
    const { body } = await client.get('/conversations')
    const groups = body.data.map(({ group_name }: { group_name: string }) => group_name)
    expect(groups).toEqual(['86400000', '3', '2', '1'])
  })

  test('of an account without conversations is an empty page', async () => {
    const { client } = await makeTenant(service)
    expect((await client.get('/conversations')).body).toEqual({
      success: true,
      data: [],
      pagination: {
        page: 1,
        per_page: 50,
        total: 0,
        total_pages: 0,
        has_next: false,
        has_prev: false,
        next_cursor: null,
      },
    })
  })
})

describe('the filters', () => {
  test('contact_id and opportunity_id find what refers to the record', async () => {
    const { accountId, client } = await makeTenant(service)
    const contact = await makeContact(service.database, accountId)
    const opportunity = await makeBareOpportunity(service.database, accountId)
    const [contactId, opportunityId] = [contact.id, opportunity.id]
    const cases = {
      both: { contactId, opportunityId },
      contact: { contactId },
      opportunity: { opportunityId },
      none: {},
    }
    for (const [i, [groupName, refers]] of Object.entries(cases).entries()) {
      await makeConversation(service.database, accountId, { groupName, createdAt: at(i), ...refers })
    }
    expect(await groupsOf(client, { contact_id: contactId })).toEqual(['both', 'contact'])
    expect(await groupsOf(client, { contact_id: contactId.toUpperCase() })).toEqual(['both', 'contact'])
    expect(await groupsOf(client, { opportunity_id: opportunityId })).toEqual(['both', 'opportunity'])
    expect(await groupsOf(client, { contact_id: contactId, opportunity_id: opportunityId })).toEqual(['both'])
    for (const unknown of [randomUUID(), 'nobody', '1']) {
      expect(await groupsOf(client, { contact_id: unknown })).toEqual([])
      expect(await groupsOf(client, { opportunity_id: unknown })).toEqual([])
    }
    expect(await groupsOf(client, { contact_id: '', opportunity_id: '' })).toHaveLength(4)
  })

  test('status finds those in which the same one answers; an unknown one finds none', async () => {
    const { ACTIVE, MANUAL, CLOSED } = ConversationStatus
    const { client } = await accountWith(
      ...[ACTIVE, MANUAL, CLOSED, MANUAL].map((status, i) => ({ groupName: `${status} ${i}`, status })),
    )
    expect(await groupsOf(client, { status: 'active' })).toEqual(['active 0'])
    expect(await groupsOf(client, { status: 'MANUAL' })).toEqual(['manual 1', 'manual 3'])
    expect(await groupsOf(client, { status: 'closed' })).toEqual(['closed 2'])
    expect(await groupsOf(client, { status: 'open' })).toEqual([])
    expect(await groupsOf(client, { status: '%' })).toEqual([])
    expect(await groupsOf(client, { status: ' ' })).toHaveLength(4)
  })

  const stamped = () =>
    accountWith(
      ...[0, 1, 2].map((ms) => {
        const time = at(ms)
        return { groupName: `+${ms}`, createdAt: time, updatedAt: time, lastMessageAt: time }
      }),
      // Nothing was said in it, so it is in no span of messages.
      { groupName: 'silent', createdAt: at(-99_000_000_000), updatedAt: at(-99_000_000_000) },
    )

  test.each(['created', 'updated', 'last_message'])(
    '%s_after and _before are inclusive, to the millisecond',
    async (of) => {
      const { client } = await stamped()
      const [after, before] = [`${of}_after`, `${of}_before`]
      // What has a message of some time or later comes in that order, the rest by its creation.
      const found = async (...asked: Parameters<typeof groupsOf>) => (await groupsOf(...asked)).toSorted()
      const silent = of === 'last_message' ? [] : ['silent']
      expect(await found(client, { [after]: at(1).toISOString() })).toEqual(['+1', '+2'])
      expect(await found(client, { [before]: at(1).toISOString() })).toEqual(['+0', '+1', ...silent])
      expect(await found(client, { [after]: at(1).toISOString(), [before]: at(1).toISOString() })).toEqual(['+1'])
      expect(await found(client, { [after]: at(2).toISOString(), [before]: at(1).toISOString() })).toEqual([])
      expect(await found(client, { [after]: '2026-03-01T12:00:00.0005Z' })).toEqual(['+1', '+2'])
      expect(await found(client, { [after]: '2026-03-01T09:00:00.002-03:00' })).toEqual(['+2'])
      expect(await found(client, { [after]: '2026-03-01', [before]: '2026-03-01' })).toHaveLength(3)
      expect(await found(client, { [after]: '2026-03-02' })).toEqual([])
      expect(await found(client, { [before]: '2026-02-28' })).toEqual(silent)
    },
  )

  test('that are no dates are refused, each by its name', async () => {
    const { client } = await makeTenant(service)
    const names = ['created', 'updated', 'last_message'].flatMap((of) => [`${of}_after`, `${of}_before`])
    const { status, body } = await list(client, Object.fromEntries(names.map((name) => [name, '2024-02-30'])))
    expect(status).toBe(400)
    expect(body.error.code).toBe('VALIDATION_ERROR')
    expect(body.error.details.map(({ field }: { field: string }) => field).toSorted()).toEqual(names.toSorted())
  })

  test('combine: a conversation meets every one of them', async () => {
    const { accountId, client } = await makeTenant(service)
    const { references } = await makeRich(service, accountId, { groupName: 'whole' })
    const whole = { ...references, status: ConversationStatus.MANUAL, createdAt: at(1), lastMessageAt: at(9) }
    const others = {
      contactId: null,
      opportunityId: null,
      status: ConversationStatus.CLOSED,
      createdAt: at(-1),
      lastMessageAt: at(10),
    }
    for (const [name, value] of Object.entries(others)) {
      await makeConversation(service.database, accountId, { ...whole, groupName: name, [name]: value })
    }
    const filters = {
      contact_id: references.contactId,
      opportunity_id: references.opportunityId,
      status: 'manual',
      created_after: at(1).toISOString(),
      last_message_before: at(9).toISOString(),
    }
    expect(await groupsOf(client, filters)).toEqual(['whole'])
    expect(await groupsOf(client, {})).toHaveLength(6)
  })
})

describe('paging', () => {
  test('shows conversations of the same moment each once, by id', async () => {
    const { accountId, client } = await makeTenant(service)
    const contact = await makeContact(service.database, accountId)
    const ids: string[] = []
    for (let i = 0; i < 30; i++) {
      const id = ((i * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, '0') + randomUUID().slice(8)
      await makeConversation(service.database, accountId, { id, contactId: contact.id, createdAt: at(0) })
      ids.push(id)
    }
    const descending = ids.toSorted().reverse()
    expect(ids).not.toEqual(descending)
    const filters: Asked[] = [{}, { contact_id: contact.id }, { status: 'active' }]
    for (const filter of filters) {
      const found: string[] = []
      for (let page = 1; page <= 5; page++) {
        const { body } = await list(client, { ...filter, page, limit: 7 })
        expect(body.pagination).toMatchObject({ page, total: 30, total_pages: 5, has_next: page < 5 })
        found.push(...body.data.map(({ id }: { id: string }) => id))
      }
      expect(found).toEqual(descending)
    }
  })

  test.each([3, 2_147_483_647])('past the end, page %d is empty with true totals', async (page) => {
    const { client } = await accountWith({}, {}, { status: ConversationStatus.CLOSED })
    const past = { page, per_page: 2, has_next: false, has_prev: true, next_cursor: null }
    for (const [filter, total] of [
      [{}, 3],
      [{ status: 'active' }, 2],
    ] as const) {
      const { status, body } = await list(client, { ...filter, page, limit: 2 })
      expect(status).toBe(200)
      expect(body.data).toEqual([])
      expect(body.pagination).toEqual({ ...past, total, total_pages: Math.ceil(total / 2) })
    }
  })

  test('outside the bounds takes the nearest one, with a warning', async () => {
    const { client } = await accountWith({}, {})
    const { status, body } = await list(client, { page: 0, limit: 1000 })
    expect({ status, ...body.pagination }).toMatchObject({ status: 200, page: 1, per_page: 100, total: 2 })
    expect(body.warnings.map(({ field }: { field: string }) => field)).toEqual(['page', 'limit'])
    expect((await list(client, { limit: 'ten' })).status).toBe(400)
  })

  test('counts right while conversations come and go', async () => {
    const { accountId, client } = await accountWith({}, {}, {})
    const total = async () => (await client.get('/conversations?limit=1')).body.pagination.total
    expect(await total()).toBe(3)
    await makeConversation(service.database, accountId)
    expect(await total()).toBe(4)
    await service.database.pool.query(
      'delete from conversation where id in (select id from conversation where account_id = $1 limit 3)',
      [accountId],
    )
    expect(await total()).toBe(1)
  })
})

describe('one conversation', () => {
  const get = (client: Client, id: string, query = '') => client.get(`/conversations/${id}${query}`)

  test('has its fields and its messages, oldest first', async () => {
    const { accountId, client } = await makeTenant(service)
    const messages = [
      { senderType: SenderType.USER, content: 'third', sentAt: at(3), createdAt: at(4) },
      { senderType: SenderType.LEAD, content: 'first', sentAt: at(1), createdAt: at(1), readAt: at(9) },
      { senderType: SenderType.AI, content: 'second\n"line" 😀', sentAt: at(2), createdAt: at(2), channel: 'SMS' },
    ]
    const { conversation, shown } = await makeRich(service, accountId, { messages })
    await makeConversation(service.database, accountId, { messages: [{ content: 'of another' }] })
    const { status, body } = await get(client, conversation.id)
    expect(status).toBe(200)
    const common = { id: expect.any(String), channel: 'INSTAGRAM', read_at: null }
    const moments = (sent: number, created = sent) => ({
      sent_at: at(sent).toISOString(),
      created_at: at(created).toISOString(),
    })
    expect(body).toEqual({
      success: true,
      data: {
        ...shown,
        messages: [
          { ...common, sender_type: 'lead', content: 'first', ...moments(1), read_at: at(9).toISOString() },
          { ...common, sender_type: 'ai', content: 'second\n"line" 😀', ...moments(2), channel: 'SMS' },
          { ...common, sender_type: 'user', content: 'third', ...moments(3, 4) },
        ],
      },
    })
    expect((await get(client, conversation.id.toUpperCase())).body).toEqual(body)
  })

  test('in which nothing was said has nulls and no messages', async () => {
    const { accountId, client } = await makeTenant(service)
    const { id } = await makeConversation(service.database, accountId)
    const stamps = { created_at: TIMESTAMP, updated_at: TIMESTAMP }
    expect((await get(client, id)).body.data).toEqual({ ...BARE, id, ...stamps, messages: [] })
  })

  test('shows the newest messages_limit messages: 200 unless said otherwise, 500 at most', async () => {
    const { accountId, client } = await makeTenant(service)
    const messages = Array.from({ length: 505 }, (_, i) => ({ content: String(i), sentAt: at(i) }))
    const { id } = await makeConversation(service.database, accountId, { messages: messages.toReversed() })
    const last = (count: number) => messages.slice(-count).map(({ content }) => content)
    for (const [query, count, warned] of [
      ['', 200, false],
      ['?messages_limit=', 200, false],
      ['?messages_limit=1', 1, false],
      ['?messages_limit=3', 3, false],
      ['?messages_limit=500', 500, false],
      ['?messages_limit=501', 500, true],
      ['?messages_limit=0', 1, true],
      ['?messages_limit=-7', 1, true],
    ] as const) {
      const { status, body } = await get(client, id, query)
      const contents = body.data.messages.map(({ content }: { content: string }) => content)
      expect({ query, status, contents }).toEqual({ query, status: 200, contents: last(count) })
      const warnings = body.warnings?.map(({ field }: { field: string }) => field) ?? []
      expect({ query, warnings }).toEqual({ query, warnings: warned ? ['messages_limit'] : [] })
    }
    const strict = await client.get(`/conversations/${id}?messages_limit=501`, { Prefer: 'handling=strict' })
    expect(strict.status).toBe(400)
    expect(strict.body.error.details).toMatchObject([{ field: 'messages_limit' }])
  })

  test.each(['many', '1.5', '1e2'])('takes no messages_limit of %s', async (value) => {
    const { accountId, client } = await makeTenant(service)
    const { id } = await makeConversation(service.database, accountId)
    const { status, body } = await get(client, id, `?messages_limit=${value}`)
    expect(status).toBe(400)
    expect(body.error).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field: 'messages_limit' }] })
  })

  test('orders messages of the same moment by id, and cuts them so', async () => {
    const { accountId, client } = await makeTenant(service)
    const ids = Array.from({ length: 12 }, () => randomUUID())
    const { id } = await makeConversation(service.database, accountId, {
      messages: ids.map((one) => ({ id: one, sentAt: at(0) })),
    })
    const shown = async (query: string) =>
      (await get(client, id, query)).body.data.messages.map((message: { id: string }) => message.id)
    expect(await shown('')).toEqual(ids.toSorted())
    expect(await shown('?messages_limit=5')).toEqual(ids.toSorted().slice(-5))
  })

  test.each([randomUUID(), 'nobody', '1', '%00', `${randomUUID()}0`])('is not found by %s', async (id) => {
    const { client } = await accountWith({})
    const { status, body } = await get(client, id)
    expect({ status, code: body.error.code }).toEqual({ status: 404, code: 'NOT_FOUND' })
  })
})

describe('who may read', () => {
  test('nobody without a key', async () => {
    for (const path of ['/conversations', `/conversations/${randomUUID()}`]) {
      const { status, body } = await createClient(service.origin).get(path)
      expect({ status, code: body.error.code }).toEqual({ status: 401, code: 'MISSING_API_KEY' })
    }
  })

  test('only keys that may read conversations', async () => {
    const { accountId } = await makeTenant(service)
    const { id } = await makeConversation(service.database, accountId)
    const clientWith = async (permission: string) =>
      createClient(service.origin, (await makeKey(service.database, accountId, { permissions: [permission] })).secret)
    for (const path of ['/conversations', `/conversations/${id}`]) {
      for (const permission of ['conversations:read', 'conversations:*', '*']) {
        expect((await (await clientWith(permission)).get(path)).status).toBe(200)
      }
      for (const permission of ['conversations:write', 'contacts:read']) {
        const { status, body } = await (await clientWith(permission)).get(path)
        expect({ status, ...body.error }).toMatchObject({
          status: 403,
          code: 'INSUFFICIENT_PERMISSIONS',
          required_permission: 'conversations:read',
        })
      }
    }
  })

  test.each([
    ['with row security', () => service],
    ['without it', () => unwalled],
  ])('not another account, %s', async (_, appOf) => {
    const app = appOf()
    const [mine, theirs] = [await makeTenant(app), await makeTenant(app)]
    const { conversation, references } = await makeRich(app, theirs.accountId, { messages: [{ content: 'secret' }] })
    const own = await makeConversation(app.database, mine.accountId, { messages: [{ content: 'own' }] })
    const queries: Asked[] = [
      { contact_id: references.contactId },
      { opportunity_id: references.opportunityId },
      { status: 'manual' },
      { last_message_after: at(0).toISOString() },
    ]
    for (const query of queries) {
      const { body } = await list(mine.client, query)
      expect({ query, data: body.data, total: body.pagination.total }).toEqual({ query, data: [], total: 0 })
      expect((await list(theirs.client, query)).body.data).toMatchObject([{ id: conversation.id }])
    }
    const { body } = await list(mine.client)
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([own.id])
    expect(body.pagination.total).toBe(1)
    expect((await mine.client.get(`/conversations/${conversation.id}`)).status).toBe(404)
  })
})

describe('the statements', () => {
  /** The SQL of a call. */
  async function sqlOf(call: () => Promise<{ status: number }>): Promise<string[]> {
    const { result, statements } = await service.statementsOf(call)
    expect(result.status).toBe(200)
    return statements
  }

  test('of a list are one, however it is filtered, two when it is past the end and for a copy', async () => {
    const { accountId, client } = await makeTenant(service)
    const { references } = await makeRich(service, accountId)
    await makeRich(service, (await makeTenant(service)).accountId)
    await makeConversation(service.database, accountId, { contactId: references.contactId })
    const filters: Asked[] = [
      {},
      { page: 2, limit: 1 },
      { contact_id: references.contactId },
      { contact_id: references.contactId, page: 2, limit: 1 },
      { status: 'active' },
      { last_message_before: '2020-01-01', opportunity_id: references.opportunityId },
    ]
    for (const filter of filters) {
      const statements = await sqlOf(() => list(client, filter))
      expect({ filter, count: statements.length }).toEqual({ filter, count: 1 })
    }
    const copy = () => list(client, { last_message_after: '2020-01-01' })
    await copy() // the day's first is written down by the audit
    expect(await sqlOf(copy)).toHaveLength(2)
    for (const filter of [{ page: 9 }, { page: 9, status: 'active' }] as Asked[]) {
      expect(await sqlOf(() => list(client, filter))).toHaveLength(2)
    }
  })

  test('of one conversation are two, however many messages it has', async () => {
    const { accountId, client } = await makeTenant(service)
    const { conversation } = await makeRich(service, accountId, { messages: Array.from({ length: 40 }, () => ({})) })
    expect(await sqlOf(() => client.get(`/conversations/${conversation.id}`))).toHaveLength(2)
  })
})

describe('when a contact is deleted', () => {
  const rowsOf = async (table: string, accountId: string) =>
    (await service.database.pool.query(`select * from ${table} where account_id = $1 order by id`, [accountId])).rows

  /** A conversation in which a contact has said things that are nowhere else. */
  async function makeRevealing(accountId: string, secret: string) {
    const contact = await makeContact(service.database, accountId, { name: secret })
    const conversation = await makeConversation(service.database, accountId, {
      contactId: contact.id,
      isGroup: true,
      groupName: 'Buyers',
      qualificationScore: 70,
      qualificationReasons: [`${secret} has a budget`],
      objectionsHistory: [`too dear for ${secret}`],
      lastMessageAt: at(5),
      messages: [{ content: `I am ${secret}` }, { senderType: SenderType.AI, content: `Hello ${secret}` }],
    })
    return { contact, conversation }
  }

  test('nothing that was said with it is left, and the conversation stays, unlinked', async () => {
    const { accountId, client } = await makeTenant(service)
    const secret = `Secret${randomUUID().slice(0, 8)}`
    const { contact, conversation } = await makeRevealing(accountId, secret)
    const second = await makeConversation(service.database, accountId, {
      contactId: contact.id,
      messages: [{ content: secret }],
    })
    const kept = await makeRevealing(accountId, 'Somebody else')
    const textOf = async () =>
      JSON.stringify([await rowsOf('message', accountId), await rowsOf('conversation', accountId)])
    expect(await textOf()).toContain(secret)
    const before = (await client.get(`/conversations/${conversation.id}`)).body.data
    const bystander = (await client.get(`/conversations/${kept.conversation.id}`)).body

    expect((await client.delete(`/contacts/${contact.id}`)).status).toBe(200)

    expect(await textOf()).not.toContain(secret)
    const after = (await client.get(`/conversations/${conversation.id}`)).body.data
    expect(after).toEqual({
      ...before,
      contact_id: null,
      contact_name: null,
      qualification_score: null,
      qualification_stage: null,
      qualification_reasons: null,
      objections_history: null,
      updated_at: TIMESTAMP,
      messages: before.messages.map((message: object) => ({ ...message, content: '' })),
    })
    expect(Date.parse(after.updated_at)).toBeGreaterThan(Date.parse(before.updated_at))
    expect((await client.get(`/conversations/${second.id}`)).body.data.messages).toMatchObject([{ content: '' }])
    const { body } = await list(client)
    expect(body.pagination.total).toBe(3)
    expect(body.data.find(({ id }: { id: string }) => id === conversation.id)).toMatchObject({
      contact_id: null,
      is_group: true,
      group_name: null,
    })
    expect((await client.get(`/conversations/${kept.conversation.id}`)).body).toEqual(bystander)
  })

  test('a message that is being stored meanwhile is emptied too', async () => {
    const { accountId, client } = await makeTenant(service)
    const { contact, conversation } = await makeRevealing(accountId, 'Ana')
    const writer = await service.database.pool.connect()
    await writer.query('begin')
    await writer.query(
      `insert into message (id, account_id, conversation_id, sender_type, content, channel, sent_at)
       values (gen_random_uuid(), $1, $2, 'lead', 'late words', 'WHATSAPP', now())`,
      [accountId, conversation.id],
    )
    const deleting = client.delete(`/contacts/${contact.id}`)
    await waitsForLock()
    await writer.query('commit')
    writer.release()
    expect((await deleting).status).toBe(200)
    const contents = (await rowsOf('message', accountId)).map(({ content }) => content)
    expect(contents).toEqual(['', '', ''])
  })

  /** Waits until some statement of this database waits for a lock. */
  async function waitsForLock(): Promise<void> {
    for (;;) {
      const { rows } = await service.database.pool.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      if (rows.length > 0) return
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }

  test('and the deletion fails, everything stays', async () => {
    const { accountId, client } = await makeTenant(service)
    const { contact } = await makeRevealing(accountId, 'Ana')
    const { database } = service
    await database.pool.query(`create function refuse() returns trigger language plpgsql as
      $$ begin if old.id = '${contact.id}' then raise 'refused'; end if; return old; end $$;
      create trigger refuse before delete on contact for each row execute function refuse()`)
    try {
      const before = [await rowsOf('message', accountId), await rowsOf('conversation', accountId)]
      expect((await client.delete(`/contacts/${contact.id}`)).status).toBe(500)
      expect([await rowsOf('message', accountId), await rowsOf('conversation', accountId)]).toEqual(before)
    } finally {
      await database.pool.query('drop trigger refuse on contact; drop function refuse')
    }
  })
})
