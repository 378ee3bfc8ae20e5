import { randomUUID } from 'node:crypto'
import { startTestApp, type TestApp } from '../support/app.js'
import type { Answer } from '../support/client.js'
import { makeChannelAccount } from '../support/factories/channels.js'
import { makeAiAgent } from '../support/factories/conversations.js'
import { defaultPipelineOf } from '../support/factories/pipelines.js'
import { makeTenant } from '../support/factories.js'
import { dataOf } from '../support/graphql.js'
import { type FakeChannel, fakeChannels, workOff } from '../support/messaging.js'

let service: TestApp
let channel: FakeChannel
beforeAll(async () => {
  service = await startTestApp({ encryptionKey: Buffer.alloc(32, 7) })
  channel = fakeChannels(service)
})
afterAll(() => service.stop())

async function makeTalking() {
  const tenant = await makeTenant(service, { permissions: ['*', 'conversations:write'] })
  const line = await makeChannelAccount(service.database, tenant.accountId)
  const agent = await makeAiAgent(service.database, tenant.accountId, {
    name: 'Sofia',
    opening: 'Hello {{first_name}}',
    openingTemplate: { name: 'hello', language: 'en', parameters: [] },
  })
  const phone = `+55119${`${Math.random()}`.slice(2, 10).padEnd(8, '1')}`
  const lead = { name: 'Ana Souza', email: `ana-${randomUUID()}@example.com`, phone }
  return { ...tenant, line, agent, lead }
}

const outcome = ({ status, body }: Answer) => ({ status, error: body.error, actions: body.actions })
const failed = (error: string) => ({
  status: 201,
  error: undefined,
  actions: { agent: { activated: false, conversation_id: null, workflow_started: false, error } },
})

test('the agent begins a conversation with the contact of a new opportunity, about it', async () => {
  const { client, agent, lead } = await makeTalking()
  const before = channel.sent.length
  const answer = await client.post('/opportunities', { ...lead, activate_agent_id: agent.id.toUpperCase() })
  expect(outcome(answer)).toEqual({
    status: 201,
    error: undefined,
    actions: { agent: { activated: true, conversation_id: expect.any(String), workflow_started: true, error: null } },
  })
  const { data } = answer.body
  const conversation = (await client.get(`/conversations/${answer.body.actions.agent.conversation_id}`)).body.data
  expect(conversation).toMatchObject({
    contact_id: data.contact_id,
    opportunity_id: data.id,
    ai_agent_id: agent.id,
    status: 'active',
  })
  await workOff(service)
  expect(channel.sent.slice(before)).toMatchObject([{ message: { kind: 'template', name: 'hello' } }])
})

test('it begins once for a key, however often and by how many that is asked for', async () => {
  const { client, agent, lead } = await makeTalking()
  const before = channel.sent.length
  const headers = { 'Idempotency-Key': randomUUID() }
  const body = { ...lead, activate_agent_id: agent.id }
  const answers = await Promise.all(Array.from({ length: 5 }, () => client.post('/opportunities', body, headers)))
  expect(new Set(answers.map(({ body: { data, actions } }) => JSON.stringify({ data, actions }))).size).toBe(1)
  await workOff(service)
  expect(channel.sent).toHaveLength(before + 1)
})

test('what is in the way is told, and the opportunity is created all the same', async () => {
  const { client, agent, lead, line, accountId } = await makeTalking()
  const other = await makeTalking()
  const create = async (more: object) => outcome(await client.post('/opportunities', { ...lead, ...more }))
  const instagram = await makeAiAgent(service.database, accountId, { name: 'Clara', type: 'instagram' })
  expect(await create({ activate_agent_id: 'x' })).toEqual(failed('What was given as the id of the agent is no uuid.'))
  expect(await create({ activate_agent_id: randomUUID() })).toEqual(failed('There is no such agent in this account.'))
  expect(await create({ activate_agent_id: other.agent.id })).toEqual(failed('There is no such agent in this account.'))
  expect(await create({ activate_agent_id: instagram.id })).toEqual(
    failed('Only agents of type whatsapp can be activated: Clara is of type instagram.'),
  )
  expect(await create({ agent_channel_account_id: line.id })).toEqual(
    failed('A channel account was given, but no agent: say which one is to be activated.'),
  )
  expect(await create({ activate_agent_id: agent.id, agent_channel_account_id: other.line.id })).toEqual(
    failed('There is no such channel account in this account.'),
  )
  expect(await create({ email: `${randomUUID()}@example.com`, phone: null, activate_agent_id: agent.id })).toEqual(
    failed('The contact has no phone number.'),
  )
})

test('a conversation that a person has is left alone, and told of', async () => {
  const { client, agent, lead } = await makeTalking()
  const first = await client.post('/opportunities', { ...lead, activate_agent_id: agent.id })
  const { conversation_id } = first.body.actions.agent
  dataOf(await client.graphql('mutation ($id: ID!) { takeOverConversation(id: $id) { id } }', { id: conversation_id }))
  const again = await client.post('/opportunities', { ...lead, activate_agent_id: agent.id })
  expect(outcome(again)).toEqual({
    status: 201,
    error: undefined,
    actions: {
      agent: {
        activated: false,
        conversation_id,
        workflow_started: false,
        error: 'A person has taken the conversation with this contact over: it is left alone.',
      },
    },
  })
})

test('a channel account alone goes with the agent of the pipeline', async () => {
  const { client, agent, lead, line, accountId } = await makeTalking()
  const { id } = await defaultPipelineOf(service.database, accountId)
  const set =
    'mutation ($id: ID!, $agent: ID) { updatePipeline(id: $id, input: {entryAgentId: $agent}) { entryAgentId } }'
  expect(dataOf(await client.graphql(set, { id, agent: agent.id }))).toEqual({ entryAgentId: agent.id })
  const answer = await client.post('/opportunities', { ...lead, agent_channel_account_id: line.id })
  expect(answer.body.actions.agent).toMatchObject({ activated: true, error: null })
  const wrong = await client.graphql(set, { id, agent: randomUUID() })
  expect(wrong.body.errors[0].extensions.code).toBe('VALIDATION_ERROR')
})

test("the pipeline's agent begins with every new contact of the pipeline, unless another is named", async () => {
  const { client, agent, lead, accountId } = await makeTalking()
  const { id } = await defaultPipelineOf(service.database, accountId)
  const set = 'mutation ($id: ID!, $agent: ID) { updatePipeline(id: $id, input: {entryAgentId: $agent}) { id } }'
  dataOf(await client.graphql(set, { id, agent: agent.id }))
  const asked = await client.post('/opportunities', { ...lead, enroll_in_flow_id: randomUUID() })
  expect(asked.body.actions.agent).toMatchObject({ activated: true, error: null })
  const another = await makeAiAgent(service.database, accountId, { name: 'Bia', opening: 'Hi' })
  const phone = `+55118${`${Math.random()}`.slice(2, 10).padEnd(8, '1')}`
  const other = { name: 'Bea', email: `${randomUUID()}@example.com`, phone }
  const named = await client.post('/opportunities', { ...other, activate_agent_id: another.id })
  const { conversation_id } = named.body.actions.agent
  expect((await client.get(`/conversations/${conversation_id}`)).body.data.ai_agent_id).toBe(another.id)
})
