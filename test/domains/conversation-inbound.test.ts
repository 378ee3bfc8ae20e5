import { Scope } from '../../src/database/index.js'
import { type InboundMessage, recordInbound, recordReceipt } from '../../src/domains/conversations/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { makeChannelAccount } from '../support/factories/channels.js'
import { makeAiAgent, makeConversation } from '../support/factories/conversations.js'
import { makeContact, makeTenant } from '../support/factories.js'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp({ encryptionKey: Buffer.alloc(32) })
})
afterAll(() => service.stop())

const SECOND = Date.parse('2026-03-01T10:00:00.000Z')

async function world() {
  const { database } = service
  const { client, accountId } = await makeTenant(service)
  const channel = await makeChannelAccount(database, accountId)
  let count = 0
  const inbound = (more: Partial<InboundMessage> = {}): InboundMessage => ({
    channelAccountId: channel.id,
    providerId: `wamid.${++count}`,
    from: { phone: '5511987654321', name: 'Ana' },
    at: new Date(SECOND + count * 1000),
    content: `Message ${count}`,
    kind: 'text',
    ...more,
  })
  const db = () => Scope.ofSystem(database, accountId)
  const receive = (more?: Partial<InboundMessage>) => recordInbound(db(), inbound(more))
  const rows = async (sql: string) => (await database.pool.query(sql, [accountId])).rows
  const contents = async (id: string) =>
    ((await client.get(`/conversations/${id}`)).body.data.messages as { content: string }[]).map(
      ({ content }) => content,
    )
  return { client, accountId, channel, inbound, receive, db, rows, contents, database }
}

test('an unknown sender becomes a contact with a conversation, which people have', async () => {
  const { receive, client } = await world()
  const { conversationId, isNew } = await receive()
  expect(isNew).toBe(true)
  const { data } = (await client.get(`/conversations/${conversationId}`)).body
  expect(data).toMatchObject({
    status: 'manual',
    channel: 'WHATSAPP',
    contact_name: 'Ana',
    contact_phone: '+5511987654321',
  })
  const contact = (await client.get(`/contacts/${data.contact_id}`)).body.data
  expect(contact).toMatchObject({ source: 'whatsapp', source_channel: 'whatsapp' })
  expect(contact.last_interaction).not.toBeNull()
})

test('the agent of a number has the conversations that begin there, where it is clear which', async () => {
  const { receive, client, database, accountId, channel } = await world()
  const agent = await makeAiAgent(database, accountId, { channelAccountId: channel.id })
  const first = await receive()
  const { data } = (await client.get(`/conversations/${first.conversationId}`)).body
  expect(data).toMatchObject({ status: 'active', ai_agent_id: agent.id })
  await makeAiAgent(database, accountId, { channelAccountId: channel.id })
  const second = await receive({ from: { phone: '5511900000001' } })
  const other = (await client.get(`/conversations/${second.conversationId}`)).body.data
  expect(other).toMatchObject({ status: 'manual', ai_agent_id: null })
})

test('twenty webhooks of one message at once record it once', async () => {
  const { inbound, db, rows } = await world()
  const one = inbound()
  const told = await Promise.all(Array.from({ length: 20 }, () => recordInbound(db(), one)))
  expect(told.filter(({ isNew }) => isNew)).toHaveLength(1)
  expect(new Set(told.map(({ messageId }) => messageId)).size).toBe(1)
  expect(await rows('select id from message where account_id = $1')).toHaveLength(1)
})

test('twenty messages of a new person at once make one contact and one conversation', async () => {
  const { receive, rows } = await world()
  await Promise.all(
    Array.from({ length: 20 }, (_, i) => receive({ from: { phone: i % 2 ? '5511987654321' : '551187654321' } })),
  )
  expect(await rows('select id from contact where account_id = $1')).toHaveLength(1)
  expect(await rows('select id from conversation where account_id = $1')).toHaveLength(1)
  expect(await rows('select id from message where account_id = $1')).toHaveLength(20)
})

test.each([
  ['with the ninth digit that the contact lacks', '+551187654321', '5511987654321', true],
  ['without the ninth digit that the contact has', '+5511987654321', '551187654321', true],
  ['of a landline, which gets none', '+551133334444', '5511933334444', false],
  ['of another country', '+351912345678', '351912345678', true],
])('a number %s', async (_, stored, phone, isSame) => {
  const { receive, database, accountId, client } = await world()
  const contact = await makeContact(database, accountId, { phone: stored })
  const { conversationId } = await receive({ from: { phone } })
  const { contact_id } = (await client.get(`/conversations/${conversationId}`)).body.data
  expect(contact_id === contact.id).toBe(isSame)
})

test('messages that come late stand in their place, those of one second in the order in which they came', async () => {
  const { receive, contents } = await world()
  const at = new Date(SECOND)
  const first = await receive({ content: 'b', at })
  await receive({ content: 'c', at })
  await receive({ content: 'd', at: new Date(SECOND + 2000) })
  await receive({ content: 'a', at: new Date(SECOND - 5000) })
  expect(await contents(first.conversationId)).toEqual(['a', 'b', 'c', 'd'])
})

test('a conversation that was over is open again, one that a person has stays theirs', async () => {
  const { receive, client, rows, database, accountId, channel } = await world()
  const agent = await makeAiAgent(database, accountId)
  const { conversationId } = await receive()
  await rows(`update conversation set status = 'closed' where account_id = $1 returning id`)
  await receive()
  const read = async () => (await client.get(`/conversations/${conversationId}`)).body.data
  expect(await read()).toMatchObject({ status: 'manual' })
  const set = 'update conversation set status = $1, ai_agent_id = $2 where id = $3'
  await database.pool.query(set, ['closed', agent.id, conversationId])
  await receive()
  expect(await read()).toMatchObject({ status: 'active' })
  await database.pool.query(set, ['manual', agent.id, conversationId])
  await receive()
  expect(await read()).toMatchObject({ status: 'manual', ai_agent_id: agent.id })
  expect(channel.kind).toBe('whatsapp')
})

test('a phone and a user id told together are one contact from then on', async () => {
  const { receive, rows } = await world()
  const byPhone = await receive()
  const both = await receive({ from: { phone: '5511987654321', userId: 'BR.1' } })
  const byUser = await receive({ from: { userId: 'BR.1' } })
  expect(new Set([byPhone, both, byUser].map(({ conversationId }) => conversationId)).size).toBe(1)
  expect(await rows('select id from contact where account_id = $1')).toHaveLength(1)
})

test('who was known by a user id alone gets the phone that comes with it', async () => {
  const { receive, rows } = await world()
  await receive({ from: { userId: 'BR.2', name: 'Bea' } })
  await receive({ from: { userId: 'BR.2', phone: '5511987654321' } })
  expect(await rows('select name, phone from contact where account_id = $1')).toEqual([
    { name: 'Bea', phone: '+5511987654321' },
  ])
})

test('two contacts who turn out to be one have one conversation with the messages of both', async () => {
  const { receive, contents } = await world()
  const byUser = await receive({ from: { userId: 'BR.3' }, content: 'by user' })
  const byPhone = await receive({ content: 'by phone' })
  expect(byUser.conversationId).not.toBe(byPhone.conversationId)
  const joined = await receive({ from: { userId: 'BR.3', phone: '5511987654321' }, content: 'joined' })
  expect(joined.conversationId).toBe(byPhone.conversationId)
  expect(await contents(joined.conversationId)).toEqual(['by user', 'by phone', 'joined'])
  expect((await receive({ from: { userId: 'BR.3' } })).conversationId).toBe(byPhone.conversationId)
})

test('a user id means somebody else to a number of another portfolio', async () => {
  const { receive, database, accountId, rows } = await world()
  const other = await makeChannelAccount(database, accountId, { portfolioId: '78' })
  await receive({ from: { userId: 'BR.4' } })
  await receive({ from: { userId: 'BR.4' }, channelAccountId: other.id })
  expect(await rows('select id from contact where account_id = $1')).toHaveLength(2)
})

test('a group is one conversation, without contact and agent', async () => {
  const { receive, client, rows, database, accountId, channel } = await world()
  await makeAiAgent(database, accountId, { channelAccountId: channel.id })
  const first = await receive({ groupId: 'g1', groupName: 'Buyers' })
  const second = await receive({ groupId: 'g1', from: { phone: '5511900000002', name: 'Bea' } })
  expect(second.conversationId).toBe(first.conversationId)
  const { data } = (await client.get(`/conversations/${first.conversationId}`)).body
  expect(data).toMatchObject({ status: 'manual', contact_id: null, ai_agent_id: null })
  expect(await rows('select id from contact where account_id = $1')).toEqual([])
  expect(await rows('select author_name from message where account_id = $1 order by sent_at')).toEqual([
    { author_name: 'Ana' },
    { author_name: 'Bea' },
  ])
})

test('what a group is called comes with its messages too, and is the name of the one that was sent last', async () => {
  const { receive, rows } = await world()
  const name = async () => (await rows('select group_name from conversation where account_id = $1'))[0]!.group_name
  const at = (second: number) => new Date(SECOND + second * 1000)
  await receive({ groupId: 'g1', groupName: 'first', at: at(10) })
  await receive({ groupId: 'g1', at: at(20) })
  expect(await name()).toBe('first')
  await receive({ groupId: 'g1', groupName: 'second', at: at(30) })
  await receive({ groupId: 'g1', groupName: 'late', at: at(25) })
  expect(await name()).toBe('second')
})

test('a message that comes again after its contact was deleted is known, and nobody is made of it', async () => {
  const { inbound, db, rows, client } = await world()
  const one = inbound()
  await recordInbound(db(), one)
  const [{ id }] = await rows('select id from contact where account_id = $1')
  expect((await client.call('DELETE', `/contacts/${id}`)).status).toBe(200)
  expect((await recordInbound(db(), one)).isNew).toBe(false)
  expect(await rows('select id from contact where account_id = $1')).toEqual([])
  expect(await rows('select content, provider_id from message where account_id = $1')).toEqual([
    { content: '', provider_id: null },
  ])
})

test('a number of another account takes no message of this one', async () => {
  const { inbound } = await world()
  const other = await world()
  await expect(recordInbound(other.db(), inbound())).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('receipts in any order, twice and late, leave what is furthest', async () => {
  const { db, rows, channel, accountId, database } = await world()
  const { id } = await makeConversation(database, accountId, { messages: [{ senderType: 'user' as never }] })
  const key = db().sign('message', channel.id, 'wamid.out')
  const set = 'update message set status = $2, channel_account_id = $3, provider_key = $4 where conversation_id = $1'
  await database.pool.query(set, [id, 'sent', channel.id, key])
  const told = (status: 'sent' | 'delivered' | 'read' | 'failed', second: number) =>
    recordReceipt(db(), {
      channelAccountId: channel.id,
      providerId: 'wamid.out',
      status,
      at: new Date(SECOND + second),
    })
  const status = async () => (await rows('select status, read_at, delivered_at from message where account_id = $1'))[0]
  await told('delivered', 1)
  expect((await status()).status).toBe('delivered')
  await told('sent', 0)
  await told('failed', 2)
  expect((await status()).status).toBe('delivered')
  await told('read', 3)
  await told('read', 9)
  await told('delivered', 1)
  expect(await status()).toEqual({
    status: 'read',
    read_at: '2026-03-01T10:00:00.003Z',
    delivered_at: '2026-03-01T10:00:00.001Z',
  })
})
