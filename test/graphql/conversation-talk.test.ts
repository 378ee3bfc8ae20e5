import { randomUUID } from 'node:crypto'
import { forgetReceipts } from '../../src/domains/conversations/receipt.job.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { makeChannelAccount } from '../support/factories/channels.js'
import { makeAiAgent, makeConversation } from '../support/factories/conversations.js'
import { makeUser } from '../support/factories/users.js'
import { makeContact, makeTenant, type Tenant } from '../support/factories.js'
import { dataOf, describeGuards, failureOf, faultsOf, type Guarded } from '../support/graphql.js'
import { fakeChannels, workOff } from '../support/messaging.js'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp({ encryptionKey: Buffer.alloc(32, 1) })
  fakeChannels(service)
})
afterAll(() => service.stop())

const SEND = 'mutation ($id: ID!) { sendMessage(conversationId: $id, input: {text: "Hello"}) { id status } }'
const NOTE = 'mutation ($id: ID!) { addConversationNote(conversationId: $id, input: {content: "Hm"}) { id } }'
const TAKE = 'mutation ($id: ID!) { takeOverConversation(id: $id) { id status } }'
const CLOSE = 'mutation ($id: ID!) { closeConversation(id: $id) { id status } }'
const BACK = 'mutation ($id: ID!) { handBackConversation(id: $id) { id status } }'
const ASSIGN = 'mutation ($id: ID!, $userId: ID) { assignConversation(id: $id, userId: $userId) { id assignedUserId } }'

/** A conversation with a contact through a channel account of its own. */
async function make({ accountId }: Pick<Tenant, 'accountId'>) {
  const line = await makeChannelAccount(service.database, accountId, { name: 'Sales' })
  const contact = await makeContact(service.database, accountId, { phone: '+5511987654321' })
  const refers = { contactId: contact.id, channelAccountId: line.id, lastInboundAt: new Date() }
  return { ...(await makeConversation(service.database, accountId, refers)), line }
}
/** One of an agent's that a person has taken over. */
async function makeTaken({ accountId }: Pick<Tenant, 'accountId'>) {
  const conversation = await make({ accountId })
  const agent = await makeAiAgent(service.database, accountId)
  await query(`update conversation set ai_agent_id = $1, status = 'manual' where id = $2`, [agent.id, conversation.id])
  return { ...conversation, agent }
}
const makeTalking = async () => {
  const tenant = await makeTenant(service, { permissions: ['*', 'conversations:write'] })
  return { ...tenant, conversation: await make(tenant) }
}
const query = async (text: string, values: unknown[] = []) => (await service.database.pool.query(text, values)).rows

const permission = 'conversations:write'
const ofOne = { permission, id: 'id', variables: async (tenant: Tenant) => ({ id: (await make(tenant)).id }) } as const
const MUTATIONS: Guarded[] = [
  { name: 'sendMessage', query: SEND, ...ofOne },
  { name: 'addConversationNote', query: NOTE, ...ofOne },
  { name: 'takeOverConversation', query: TAKE, ...ofOne },
  {
    ...{ name: 'handBackConversation', query: BACK, ...ofOne },
    variables: async (tenant) => ({ id: (await makeTaken(tenant)).id }),
  },
  { name: 'closeConversation', query: CLOSE, ...ofOne },
  {
    ...{ name: 'assignConversation', query: ASSIGN, ...ofOne },
    variables: async (tenant) => ({
      id: (await make(tenant)).id,
      userId: (await makeUser(service.database, tenant.accountId)).id,
    }),
  },
]
describeGuards(() => service, MUTATIONS)

test('nothing is sent through a channel account that is disconnected, and the conversation stays as it is', async () => {
  const { client, conversation } = await makeTalking()
  dataOf(
    await client.graphql('mutation ($id: ID!) { disconnectChannel(id: $id) { id } }', { id: conversation.line.id }),
  )
  const answer = await client.graphql(SEND, { id: conversation.id })
  expect([failureOf(answer).code, answer.body.errors[0].message]).toEqual([
    'CHANNEL_UNAVAILABLE',
    'The channel account Sales is disconnected.',
  ])
  const [stored] = await query('select status from conversation where id = $1', [conversation.id])
  expect(stored.status).toBe('active')
  expect(await query('select from message where conversation_id = $1', [conversation.id])).toEqual([])
})

test('a conversation is assigned to an active user of the account, or to nobody', async () => {
  const { client, accountId, conversation } = await makeTalking()
  const { id } = conversation
  const user = await makeUser(service.database, accountId)
  const left = await makeUser(service.database, accountId, { isActive: false })
  const stranger = await makeUser(service.database, (await makeTenant(service)).accountId)
  expect(dataOf(await client.graphql(ASSIGN, { id, userId: user.id.toUpperCase() })).assignedUserId).toBe(user.id)
  for (const userId of [left.id, stranger.id, randomUUID(), 'me', '']) {
    const fault = 'userId: must be an active user of the account'
    expect({ userId, faults: faultsOf(await client.graphql(ASSIGN, { id, userId })) }).toEqual({
      userId,
      faults: [fault],
    })
  }
  expect(dataOf(await client.graphql(ASSIGN, { id, userId: null })).assignedUserId).toBeNull()
  dataOf(await client.graphql(ASSIGN, { id, userId: user.id }))
  expect(dataOf(await client.graphql(ASSIGN, { id })).assignedUserId).toBeNull()
})

test('who is deactivated at the same time is not assigned after that', async () => {
  const { client, accountId, conversation } = await makeTalking()
  const user = await makeUser(service.database, accountId)
  const other = await service.database.pool.connect()
  try {
    await other.query('begin')
    await other.query('update app_user set is_active = false where id = $1', [user.id])
    const assigning = client.graphql(ASSIGN, { id: conversation.id, userId: user.id })
    const waits = `select from pg_locks where not granted`
    while ((await query(waits)).length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
    await other.query('commit')
    expect(failureOf(await assigning).code).toBe('VALIDATION_ERROR')
  } finally {
    other.release()
  }
})

test('what was told of a message that nobody knows is forgotten after a week', async () => {
  const { accountId, conversation } = await makeTalking()
  const put = `insert into message_receipt (id, account_id, channel_account_id, provider_key, status, at, created_at)
    values ($1, $2, $3, $4, 'sent', now(), now() - $5::interval)`
  const kept = randomUUID()
  await query(put, [kept, accountId, conversation.line.id, Buffer.from('a'), '6 days 23 hours'])
  await query(put, [randomUUID(), accountId, conversation.line.id, Buffer.from('b'), '7 days 1 minute'])
  await forgetReceipts.run(service.database, {} as never)
  expect(await query('select id from message_receipt where account_id = $1', [accountId])).toEqual([{ id: kept }])
})

test('messages whose token cannot be opened wait, and are logged once', async () => {
  const { client, accountId, conversation } = await makeTalking()
  await query('update channel_account set credentials = $1 where account_id = $2', [Buffer.alloc(64, 9), accountId])
  const other = await make({ accountId })
  await query('update channel_account set credentials = $1 where account_id = $2', [Buffer.alloc(64, 9), accountId])
  for (const { id } of [conversation, other]) dataOf(await client.graphql(SEND, { id }))
  await workOff(service)
  const stored = await query('select status, error from message where account_id = $1', [accountId])
  const waiting = { status: 'queued', error: 'It was not taken: the token of Sales cannot be opened.' }
  expect(stored).toEqual([waiting, waiting])
  expect(service.logs().filter(({ msg }) => String(msg).includes('cannot be opened'))).toHaveLength(1)
})

describe('a conversation goes back', () => {
  const REFUSED = { code: 'VALIDATION_ERROR' }
  test.each([
    ['to nobody where it has no agent', 'update conversation set ai_agent_id = null where account_id = $1', REFUSED],
    ['to no agent that is paused', `update ai_agent set status = 'paused' where account_id = $1`, REFUSED],
    ['to no agent that was deleted', 'update ai_agent set deleted_at = now() where account_id = $1', REFUSED],
  ])('%s, and stays as it is', async (_, text, refused) => {
    const { client, accountId } = await makeTalking()
    const { id } = await makeTaken({ accountId })
    await query(text, [accountId])
    expect(failureOf(await client.graphql(BACK, { id }))).toMatchObject(refused)
    expect(await query('select status from conversation where id = $1', [id])).toEqual([{ status: 'manual' }])
  })

  test('beside whoever takes it over, closes it, writes, assigns it and deletes the agent, and each change is whole', async () => {
    const { client, accountId } = await makeTalking()
    const user = await makeUser(service.database, accountId)
    const taken = []
    for (let i = 0; i < 6; i++) taken.push(await makeTaken({ accountId }))
    const remove = 'mutation ($id: ID!) { deleteAiAgent(id: $id) { id } }'
    const rounds = taken.map(async ({ id, agent }, i) => {
      const calls = [
        () => client.graphql(BACK, { id }),
        () => client.graphql(TAKE, { id }),
        () => client.graphql(CLOSE, { id }),
        () => client.graphql(SEND, { id }),
        () => client.graphql(ASSIGN, { id, userId: user.id }),
        () => client.graphql(remove, { id: agent.id }),
      ]
      const order = [...calls.slice(i), ...calls.slice(0, i)]
      return Promise.all(order.map((call) => call()))
    })
    const codes = (await Promise.all(rounds)).flat().map(({ body }) => body.errors?.[0].extensions.code ?? 'DONE')
    // An agent that is gone already has nothing handed back to it.
    expect(codes.filter((code) => code !== 'DONE' && code !== 'VALIDATION_ERROR')).toEqual([])
    const stored = await query(
      `select c.status, c.assigned_user_id as "userId", (select count(*)::int from message m where m.conversation_id = c.id) as said
        from conversation c where c.account_id = $1 and c.ai_agent_id is not null`,
      [accountId],
    )
    expect(stored).toHaveLength(6)
    for (const { status, userId, said } of stored) {
      expect(['active', 'manual', 'closed']).toContain(status)
      expect([userId, said]).toEqual([user.id, 1])
    }
    for (const { id } of taken) expect(failureOf(await client.graphql(BACK, { id })).code).toBe('VALIDATION_ERROR')
  })
})
