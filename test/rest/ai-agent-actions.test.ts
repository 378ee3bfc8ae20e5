import { randomUUID } from 'node:crypto'
import { Scope } from '../../src/database/index.js'
import { type AiAgent, AiAgentStatus } from '../../src/domains/agents/index.js'
import { recordInbound } from '../../src/domains/conversations/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { makeChannelAccount } from '../support/factories/channels.js'
import { makeAiAgent } from '../support/factories/conversations.js'
import { EVERYTHING, makeContact, makeTenant, type Tenant } from '../support/factories.js'
import { callTool, connectAssistant, wordsOf } from '../support/mcp.js'
import { type FakeChannel, fakeChannels, workOff } from '../support/messaging.js'

let service: TestApp
let channel: FakeChannel
beforeAll(async () => {
  service = await startTestApp({ encryptionKey: Buffer.alloc(32) })
  channel = fakeChannels(service)
})
afterAll(() => service.stop())
beforeEach(() => {
  channel.sent.length = 0
})

const sent = () => channel.sent.map(({ message }) => (message.kind === 'text' ? message.text : message.name))

/** An account with an agent that can do everything, and a contact with a phone. */
async function makeWorld(agentFields: Partial<AiAgent> = {}, contactFields: object = {}) {
  const { database } = service
  const tenant = await makeTenant(service)
  const { accountId } = tenant
  const line = await makeChannelAccount(database, accountId, { token: 'secret-token' })
  const agent = await makeAiAgent(database, accountId, {
    name: 'Sofia',
    openingTemplate: { name: 'hello', language: 'pt_BR', parameters: [] },
    fallback: 'I will ask.',
    ...agentFields,
  })
  const phone = `55119${String(Math.random()).slice(2, 10).padEnd(8, '1')}`
  const contact = await makeContact(database, accountId, { phone: `+${phone}`, ...contactFields })
  const run = (action: string, more: object = {}, headers?: Record<string, string>) =>
    tenant.client.post(`/ai-agents/${agent.id}/actions`, { action, contact_id: contact.id, ...more }, headers)
  const write = (content: string) =>
    recordInbound(Scope.ofSystem(database, accountId), {
      channelAccountId: line.id,
      providerId: `wamid.in.${randomUUID()}`,
      from: { phone },
      at: new Date(),
      content,
      kind: 'text',
    })
  return { ...tenant, line, agent, contact, run, write }
}

async function auditOf({ client }: Tenant): Promise<string[]> {
  const query = `{ auditEntries(order: ASC, limit: 100) { items { action subjectKind subjectId fields actorName } } }`
  const { items } = (await client.graphql(query)).body.data.auditEntries
  const done = items.filter((one: Record<string, string>) => !/^(account|api_key)$/.test(one.subjectKind!))
  return done.map((one: Record<string, string>) => `${one.action} ${one.subjectKind} ${one.subjectId} ${one.fields}`)
}

test('an agent begins a conversation, answers in it and hands it over, and all of it is written down', async () => {
  const world = await makeWorld()
  const { agent, contact, run, write, client } = world
  const { status, body } = await run('begin_conversation')
  expect(status).toBe(200)
  const { conversation_id } = body.data
  expect(body.data).toEqual({
    action: 'begin_conversation',
    ai_agent_id: agent.id,
    contact_id: contact.id,
    conversation_id,
  })
  await workOff(service)
  expect(sent()).toEqual(['hello'])
  expect((await run('answer')).body.error).toMatchObject({
    code: 'ACTION_NOT_POSSIBLE',
    message: 'The contact has written nothing that is not answered.',
  })
  await write('How much is it?')
  expect((await run('answer')).body.data).toMatchObject({ action: 'answer', conversation_id })
  await workOff(service)
  expect(sent()).toEqual(['hello', 'I will ask.'])
  expect((await run('hand_over', { reason: 'Wants a discount' })).status).toBe(200)
  const { body: read } = await client.get(`/conversations/${conversation_id}`)
  expect(read.data.status).toBe('manual')
  const { rows } = await service.database.pool.query(
    'select content from conversation_note where conversation_id = $1',
    [conversation_id],
  )
  expect(rows).toEqual([{ content: 'Wants a discount' }])
  for (const action of ['begin_conversation', 'answer', 'hand_over']) {
    const { status, body } = await run(action)
    expect({ status, code: body.error.code }).toEqual({ status: 409, code: 'ACTION_NOT_POSSIBLE' })
  }
  expect(await auditOf(world)).toEqual(
    ['begin_conversation', 'answer', 'hand_over'].flatMap((action) => [
      `executed ai_agent ${agent.id} ${action}`,
      `${action} contact ${contact.id} `,
    ]),
  )
})

test('an action happens once for its key, also through a tool, which demands one', async () => {
  const { key, agent, contact, run } = await makeWorld()
  const once = { 'Idempotency-Key': 'one' }
  const [first, second] = await Promise.all([run('begin_conversation', {}, once), run('begin_conversation', {}, once)])
  expect([first.status, second.status]).toEqual([200, 200])
  expect(second.body).toEqual(first.body)
  const assistant = await connectAssistant(service.origin, key)
  const args = { id: agent.id, action: 'begin_conversation', contact_id: contact.id }
  expect(wordsOf(await callTool(assistant, 'run_ai_agent_action', args))).toContain('idempotency_key')
  const named = { ...args, idempotency_key: 'two' }
  const done = await callTool(assistant, 'run_ai_agent_action', named)
  const again = await callTool(assistant, 'run_ai_agent_action', named)
  expect(again.structuredContent).toEqual(done.structuredContent)
  expect(again._meta).toMatchObject({ 'fairlead/replayed': true })
  await assistant.close()
  const { rows } = await service.database.pool.query(
    'select count(*)::int as times from audit_entry where subject_id = $1 and action = $2',
    [agent.id, 'executed'],
  )
  expect(rows).toEqual([{ times: 2 }])
  await workOff(service)
  expect(sent()).toEqual(['hello'])
})

test.each<[string, Partial<AiAgent>, object, object]>([
  ['begin_conversation', { status: AiAgentStatus.PAUSED }, {}, { code: 'AGENT_PAUSED' }],
  [
    'begin_conversation',
    { openingTemplate: null },
    {},
    {
      code: 'ACTION_NOT_AVAILABLE',
      message: 'The agent Sofia cannot begin_conversation. What it can: answer, hand_over.',
    },
  ],
  ['begin_conversation', { type: 'instagram' }, {}, { code: 'ACTION_NOT_AVAILABLE' }],
  ['answer', { fallback: null }, {}, { code: 'ACTION_NOT_AVAILABLE' }],
  [
    'begin_conversation',
    {},
    { phone: null },
    { code: 'ACTION_NOT_POSSIBLE', message: 'The contact has no phone number.' },
  ],
  ['answer', {}, {}, { code: 'ACTION_NOT_POSSIBLE' }],
  ['hand_over', {}, {}, { code: 'ACTION_NOT_POSSIBLE' }],
])(
  '%s is refused to an agent %j with a contact %j, and nothing is written down',
  async (action, agent, contact, error) => {
    const world = await makeWorld(agent, contact)
    const { status, body } = await world.run(action)
    expect({ status, error: body.error }).toMatchObject({ status: 409, error })
    expect(await auditOf(world)).toEqual([])
    await workOff(service)
    expect(sent()).toEqual([])
  },
)

test("another account's agent, contact and channel are none, and only a key that was granted it may", async () => {
  const { agent, contact, run, line, accountId } = await makeWorld()
  const other = await makeWorld()
  const body = { action: 'begin_conversation', contact_id: contact.id }
  for (const answer of [
    await other.client.post(`/ai-agents/${agent.id}/actions`, body),
    await other.run('begin_conversation', { contact_id: contact.id }),
    await run('begin_conversation', { contact_id: randomUUID() }),
  ]) {
    expect({ status: answer.status, code: answer.body.error.code }).toEqual({ status: 404, code: 'NOT_FOUND' })
  }
  expect((await other.run('begin_conversation', { channel_account_id: line.id })).body.error).toMatchObject({
    code: 'ACTION_NOT_POSSIBLE',
    message: 'There is no such channel account in this account.',
  })
  const permissions = EVERYTHING.filter((one) => one !== 'agent_tools:execute')
  const { client } = await makeTenant(service, { permissions })
  const refused = await client.post(`/ai-agents/${agent.id}/actions`, body)
  expect({ status: refused.status, needs: refused.body.error.required_permission }).toEqual({
    status: 403,
    needs: 'agent_tools:execute',
  })
  const { rows } = await service.database.pool.query('select id from conversation where account_id = $1', [accountId])
  expect(rows).toEqual([])
})

test('what an agent can be told to do is shown with it', async () => {
  const { client, agent } = await makeWorld({ type: 'linkedin' })
  expect((await client.get(`/ai-agents/${agent.id}`)).body.data.actions).toEqual(['answer', 'hand_over'])
})
