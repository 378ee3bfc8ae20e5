import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { startJobWorker } from '../../src/domains/jobs/index.js'
import { settleAction } from '../../src/domains/opportunities/action.job.js'
import type { OneOffJob } from '../../src/kit/job.js'
import { startTestApp, type TestApp } from '../support/app.js'
import type { Answer, Client } from '../support/client.js'
import { makeChannelAccount } from '../support/factories/channels.js'
import { makeAiAgent } from '../support/factories/conversations.js'
import { defaultPipelineOf, makePipeline } from '../support/factories/pipelines.js'
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

test('an agent that is deleted as it is activated has begun or has not, and writes to nobody any more', async () => {
  const { client, accountId } = await makeTalking()
  const rounds = Array.from({ length: 8 }, async (_, i) => {
    const { id } = await makeAiAgent(service.database, accountId, { opening: 'Hi' })
    const lead = { name: `Lead ${i}`, email: `${randomUUID()}@example.com`, phone: `+551198765${1000 + i}` }
    const both = [
      () => client.post('/opportunities', { ...lead, activate_agent_id: id }),
      () => client.graphql('mutation ($id: ID!) { deleteAiAgent(id: $id) { deleted } }', { id }),
    ]
    const answers = await Promise.all((i % 2 ? both : both.toReversed()).map((call) => call()))
    const { agent } = answers[i % 2 ? 0 : 1]!.body.actions
    expect([null, 'There is no such agent in this account.']).toContain(agent.error)
    return agent.activated as boolean
  })
  const begun = (await Promise.all(rounds)).filter((activated) => activated).length
  await workOff(service)
  const { rows } = await service.database.pool.query(
    'select state, count(*)::int as n from agent_run where account_id = $1 group by state',
    [accountId],
  )
  expect(rows).toEqual(begun > 0 ? [{ state: 'dropped', n: begun }] : [])
})

describe('a move into another pipeline', () => {
  /** A pipeline with the agent at its entrance, and an opportunity elsewhere. */
  async function makeMoving() {
    const talking = await makeTalking()
    const { accountId, client, agent, lead } = talking
    const { database } = service
    const stages = ['First', 'Second', { name: 'Won', isWinStage: true }, { name: 'Lost', isLossStage: true }]
    const pipeline = await makePipeline(database, accountId, { stages, entryAgentId: agent.id })
    const opportunity = (await client.post('/opportunities', lead)).body.data
    const home = await defaultPipelineOf(database, accountId)
    const moveTo = async (stageId: string) => {
      const path = `/opportunities/${opportunity.id}/stage`
      expect((await client.call('PATCH', path, { body: { stage_id: stageId } })).status).toBe(200)
      await workOffJobs(service)
    }
    const runs = async () => {
      const { rows } = await database.pool.query(
        `select r.kind, r.ai_agent_id as "agentId", c.opportunity_id as "opportunityId" from agent_run r
          join conversation c on c.id = r.conversation_id where r.account_id = $1 order by r.created_at`,
        [accountId],
      )
      return rows
    }
    const blocks = async () => {
      const text = 'select result from opportunity_action where account_id = $1 order by created_at'
      return (await database.pool.query(text, [accountId])).rows.map(({ result }) => result)
    }
    const begun = { kind: 'opening', agentId: agent.id, opportunityId: opportunity.id }
    return {
      ...talking,
      pipeline,
      stages: pipeline.stages.map(({ id }) => id),
      opportunity,
      home,
      moveTo,
      runs,
      blocks,
      begun,
    }
  }

  test('has its agent begin with the contact, about the opportunity', async () => {
    const { lead, stages, moveTo, runs, blocks, begun } = await makeMoving()
    await moveTo(stages[1]!)
    expect(await runs()).toEqual([begun])
    expect(await blocks()).toMatchObject([{ activated: true, error: null }])
    await workOff(service)
    const phone = lead.phone.slice(1)
    expect(channel.sent.filter(({ to }) => 'phone' in to && to.phone.endsWith(phone))).toHaveLength(1)
  })

  test.each([
    [
      'PUT with the pipeline alone',
      (client: Client, id: string, to: { id: string }) => client.put(`/opportunities/${id}`, { pipeline_id: to.id }),
    ],
    [
      'moveOpportunity',
      (client: Client, id: string, to: { stages: { id: string }[] }) =>
        client.graphql(
          'mutation ($id: ID!, $to: ID!) { moveOpportunity(id: $id, input: { stageId: $to }) { opportunity { id } } }',
          { id, to: to.stages[0]!.id },
        ),
    ],
  ])('does so by %s too', async (_, move) => {
    const { client, opportunity, pipeline, runs, begun } = await makeMoving()
    const { status, body } = await move(client, opportunity.id, pipeline)
    expect([status, body.errors]).toEqual([200, undefined])
    await workOffJobs(service)
    expect(await runs()).toEqual([begun])
  })

  test('does so once with each contact, however often the card goes to and fro', async () => {
    const { stages, home, moveTo, runs, begun } = await makeMoving()
    for (const to of [stages[0]!, home.stageIds[1]!, stages[1]!]) await moveTo(to)
    await workOff(service)
    await moveTo(home.stageIds[0]!)
    await moveTo(stages[0]!)
    expect(await runs()).toEqual([begun])
  })

  test('is not one within the pipeline', async () => {
    const { agent, home, moveTo, blocks } = await makeMoving()
    await service.database.pool.query('update pipeline set entry_agent_id = $1 where id = $2', [agent.id, home.id])
    await moveTo(home.stageIds[1]!)
    expect(await blocks()).toEqual([])
  })

  test.each([
    ['into a stage that wins', 2],
    ['into a stage that loses', 3],
  ])('%s begins nothing', async (_, stage) => {
    const { stages, moveTo, runs, blocks } = await makeMoving()
    await moveTo(stages[stage]!)
    expect([await runs(), await blocks()]).toEqual([[], []])
  })

  test.each([
    ['has no contact any more', 'delete from contact where account_id = $1'],
    ['was discarded', 'update opportunity set discarded_at = now() where account_id = $1'],
  ])('of one that %s begins nothing', async (_, text) => {
    const { accountId, stages, moveTo, runs, blocks } = await makeMoving()
    if (text.startsWith('delete')) {
      await service.database.pool.query('update opportunity set contact_id = null where account_id = $1', [accountId])
    }
    await service.database.pool.query(text, [accountId])
    await moveTo(stages[0]!)
    expect([await runs(), await blocks()]).toEqual([[], []])
  })

  test.each([
    ['the agent is paused', "update ai_agent set status = 'paused' where account_id = $1", /paused/],
    ['the contact has no phone', 'update contact set phone = null where account_id = $1', /no phone/],
    [
      'the number is disconnected',
      "update channel_account set status = 'disconnected', credentials = null where account_id = $1",
      /no connected/,
    ],
  ])('goes through where %s, and why nothing began is kept', async (_, text, error) => {
    const { accountId, stages, moveTo, runs, blocks } = await makeMoving()
    await service.database.pool.query(text, [accountId])
    await moveTo(stages[0]!)
    expect(await runs()).toEqual([])
    expect(await blocks()).toMatchObject([{ activated: false, error: expect.stringMatching(error) }])
  })

  test('leaves a conversation alone that a person has', async () => {
    const { client, lead, agent, stages, moveTo, runs, accountId } = await makeMoving()
    const other = await makeAiAgent(service.database, accountId, { name: 'Bia', opening: 'Hi' })
    const first = await client.post('/opportunities', { ...lead, activate_agent_id: other.id })
    const id = first.body.actions.agent.conversation_id
    dataOf(await client.graphql('mutation ($id: ID!) { takeOverConversation(id: $id) { id } }', { id }))
    await moveTo(stages[0]!)
    expect((await runs()).filter(({ agentId }) => agentId === agent.id)).toEqual([])
    expect((await client.get(`/conversations/${id}`)).body.data.ai_agent_id).toBe(other.id)
  })
})

/** Does the jobs of the service until none is left. */
async function workOffJobs({ database }: TestApp): Promise<void> {
  const errors: unknown[] = []
  const worker = startJobWorker({
    database,
    jobs: [settleAction as unknown as OneOffJob],
    log: (error) => errors.push(error),
    pollMs: 5,
  })
  while ((await database.pool.query('select from job limit 1')).rowCount) await delay(5)
  await worker.stop()
  expect(errors).toEqual([])
}
