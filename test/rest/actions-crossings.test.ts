import { randomUUID } from 'node:crypto'
import type { ActionTarget } from '../../src/kit/action.js'
import {
  ALL,
  AskedActions,
  type AskingWorld,
  CREATE,
  errorsOf,
  mutate,
  NO_ERRORS,
  NOTHING,
} from '../support/asked-actions.js'
import { makeBareOpportunity } from '../support/factories/conversations.js'
import { defaultPipelineOf, makePipeline } from '../support/factories/pipelines.js'
import { makeDiscardReason } from '../support/factories/reference.js'
import { makeUser } from '../support/factories/users.js'
import { makeContact } from '../support/factories.js'
import { dataOf } from '../support/graphql.js'
import { sellersOf } from '../support/sellers.js'

// What others do between the creation of an opportunity and the actions that were asked for along with it.

let asked: AskedActions
const sellers = sellersOf(() => asked.services[0]!)
beforeAll(async () => {
  asked = await AskedActions.start()
})
afterEach(() => asked.meanwhile(undefined))
afterAll(() => {
  sellers.restore()
  return asked.stop()
})

type Case = [
  string,
  (world: AskingWorld, target: ActionTarget) => Promise<unknown>,
  Record<string, unknown>,
  typeof ALL,
]

/** Moves the opportunity to a stage of the default pipeline; the last two win and lose. */
const moveTo =
  (stage: number) =>
  async ({ accountId, client }: AskingWorld, { opportunityId }: ActionTarget) => {
    const { stageIds } = await defaultPipelineOf(asked.database, accountId)
    const moved = await client.call('PATCH', `/opportunities/${opportunityId}/stage`, {
      body: { stage_id: stageIds.at(stage) },
    })
    expect(moved.status).toBe(200)
  }

const gone = (what: string) => `There is no such ${what} in this account.`
const CASES: Case[] = [
  [
    'the contact is deleted',
    ({ client }, { contactId }) => client.delete(`/contacts/${contactId}`),
    { email: expect.stringMatching(/contact/), flow: expect.stringMatching(/contact/), agent: gone('contact') },
    NOTHING,
  ],
  [
    'the contact loses email and phone',
    (_, { contactId }) => asked.set('contact', 'email = null, phone = null', contactId!),
    {
      email: expect.stringMatching(/no email/),
      flow: 'The contact has no email address.',
      agent: 'The contact has no phone number.',
    },
    NOTHING,
  ],
  [
    'the person wants no mail any more',
    async ({ client, lead }) =>
      dataOf(await client.graphql(`mutation { suppressAddress(input: { address: "${lead.email}" }) { id } }`)),
    { email: expect.stringMatching(/no mail/), flow: expect.stringMatching(/no mail/), agent: null },
    { ...NOTHING, runs: 1 },
  ],
  [
    'the opportunity is deleted',
    async ({ client }, target) => {
      await asked.mailBegun(target)
      await client.delete(`/opportunities/${target.opportunityId}`)
    },
    // The mail is the contact's, and goes: that it did is told.
    {
      email: null,
      flow: 'The opportunity was deleted meanwhile.',
      agent: 'The opportunity was deleted meanwhile.',
    },
    { ...NOTHING, mails: 1 },
  ],
  [
    'template, flow and agent are deleted or archived',
    async (world) => {
      await mutate(world, 'deleteEmailTemplate(id: $id) { id }', world.template.id)
      await mutate(world, 'archiveFlow(id: $id) { id }', world.flow.id)
      await mutate(world, 'deleteAiAgent(id: $id) { id }', world.agent.id)
    },
    {
      email: expect.stringMatching(/template/),
      flow: 'The flow is not active: it is archived.',
      agent: gone('agent'),
    },
    NOTHING,
  ],
  [
    'sender and channel account are taken away, the flow is paused',
    async (world) => {
      await mutate(world, 'deleteEmailSender(id: $id) { id }', world.sender.id)
      await mutate(world, 'pauseFlow(id: $id) { id }', world.flow.id)
      await mutate(world, 'disconnectChannel(id: $id) { id }', world.line.id)
    },
    {
      email: expect.stringMatching(/sender/),
      flow: 'The flow is not active: it is paused.',
      agent: 'The account has no connected WhatsApp number.',
    },
    NOTHING,
  ],
  [
    'the agent is paused, the sender is no longer verified',
    async ({ agent, sender }) => {
      await asked.set('ai_agent', `status = 'paused'`, agent.id)
      await asked.set('email_sender', 'verified_at = null', sender.id)
    },
    { email: expect.stringMatching(/verified/), flow: null, agent: 'The agent Sofia is paused.' },
    { ...NOTHING, enrollments: 1 },
  ],
  [
    'the opportunity is moved to another pipeline',
    async ({ accountId, client }, { opportunityId }) => {
      const { id } = await makePipeline(asked.database, accountId)
      const moved = await client.put(`/opportunities/${opportunityId}`, { pipeline_id: id })
      expect(moved.body.data.pipeline_id).toBe(id)
    },
    NO_ERRORS,
    ALL,
  ],
  [
    'the opportunity is won',
    moveTo(-2),
    { ...NO_ERRORS, flow: 'The opportunity was won meanwhile.' },
    { ...ALL, enrollments: 0 },
  ],
  [
    'the opportunity is lost',
    moveTo(-1),
    { ...NO_ERRORS, flow: 'The opportunity was lost meanwhile.' },
    { ...ALL, enrollments: 0 },
  ],
  [
    'the opportunity is discarded',
    async ({ accountId, client }, { opportunityId: id }) => {
      const { id: reason } = await makeDiscardReason(asked.database, accountId)
      const discard =
        'mutation ($id: ID!, $reason: ID!) { discardOpportunity(id: $id, discardReasonId: $reason) { id } }'
      dataOf(await client.graphql(discard, { id, reason }))
    },
    { ...NO_ERRORS, flow: 'The opportunity was discarded meanwhile.' },
    { ...ALL, enrollments: 0 },
  ],
  [
    'the opportunity is won and taken back',
    (world, target) => moveTo(-2)(world, target).then(() => moveTo(0)(world, target)),
    NO_ERRORS,
    ALL,
  ],
  [
    'its pipeline is deleted, from which it was moved before',
    async (world, target) => {
      const { id } = await makePipeline(asked.database, world.accountId)
      const { id: from } = await defaultPipelineOf(asked.database, world.accountId)
      await world.client.put(`/opportunities/${target.opportunityId}`, { pipeline_id: id })
      await mutate(world, 'updatePipeline(id: $id, input: { isDefault: true }) { id }', id)
      await mutate(world, 'deletePipeline(id: $id) { id }', from)
    },
    NO_ERRORS,
    ALL,
  ],
  [
    'the template is edited',
    async ({ client, template }) =>
      dataOf(
        await client.graphql(
          'mutation ($id: ID!) { updateEmailTemplate(id: $id, input: { subject: "Anew" }) { id } }',
          {
            id: template.id,
          },
        ),
      ),
    NO_ERRORS,
    ALL,
  ],
  // Who was let in is not asked again: a call is admitted once.
  ['the key is revoked', ({ keyId }) => asked.set('api_key', 'revoked_at = now()', keyId), NO_ERRORS, ALL],
  ['the key loses its permissions', ({ keyId }) => asked.set('api_key', `permissions = '{}'`, keyId), NO_ERRORS, ALL],
]
describe('the opportunity is there, and each action says what came of it, when meanwhile', () => {
  test.each(CASES)('%s', async (_, work, errors, left) => {
    const world = await asked.makeWorld()
    asked.meanwhile((target) => work(world, target))
    const body = { ...world.lead, ...world.everything }
    const answer = await world.client.post('/opportunities', body)
    expect({ status: answer.status, errors: errorsOf(answer) }).toEqual({ status: 201, errors })
    expect(await asked.effects(world)).toEqual(left)
    expect(asked.services[0]!.logs().filter(({ level }) => level === 'error')).toEqual([])
  })
})

test('a repeat is told the same, though what was asked for is gone by then, and nothing happens twice', async () => {
  const world = await asked.makeWorld()
  const { client, lead, everything } = world
  const headers = { 'Idempotency-Key': randomUUID() }
  asked.meanwhile(({ contactId }) => asked.set('contact', 'email = null', contactId!))
  const first = await client.post('/opportunities', { ...lead, ...everything }, headers)
  expect(errorsOf(first)).toMatchObject({ agent: null, flow: expect.any(String), email: expect.any(String) })
  await mutate(world, 'deleteAiAgent(id: $id) { id }', world.agent.id)
  await asked.set('contact', `email = '${lead.email}'`, first.body.data.contact_id)
  const again = await client.post('/opportunities', { ...lead, ...everything }, headers)
  expect([again.status, again.body]).toEqual([201, first.body])
  expect(await asked.effects(world)).toEqual({ ...NOTHING, runs: 1 })
})

test('once the opportunity is deleted, a repeat hears that, and none of the actions happens again', async () => {
  const world = await asked.makeWorld()
  const { client, lead, everything } = world
  const headers = { 'Idempotency-Key': randomUUID() }
  asked.meanwhile(async (target) => {
    await asked.mailBegun(target)
    await client.delete(`/opportunities/${target.opportunityId}`)
  })
  const first = await client.post('/opportunities', { ...lead, ...everything }, headers)
  expect([first.status, errorsOf(first).email]).toEqual([201, null])
  const again = await client.post('/opportunities', { ...lead, ...everything }, headers)
  expect([again.status, again.body.error.code]).toEqual([410, 'RESOURCE_DELETED'])
  expect(await asked.effects(world)).toEqual({ ...NOTHING, mails: 1 })
})

test('a key that is revoked meanwhile gets its answer, but no repeat of it', async () => {
  const world = await asked.makeWorld()
  const { client, lead, everything, keyId } = world
  const headers = { 'Idempotency-Key': randomUUID() }
  asked.meanwhile(() => mutate(world, 'revokeApiKey(id: $id, evenThisOne: true) { id }', keyId))
  const first = await client.post('/opportunities', { ...lead, ...everything }, headers)
  expect([first.status, errorsOf(first)]).toEqual([201, NO_ERRORS])
  expect((await client.post('/opportunities', { ...lead, ...everything }, headers)).status).toBe(401)
  expect(await asked.effects(world)).toEqual(ALL)
})

test('a seller who loses the contact meanwhile begins nothing with it', async () => {
  const world = await asked.makeWorld()
  const { accountId, lead, actions: all } = world
  const seller = await sellers.make(accountId)
  const other = await makeUser(asked.database, accountId)
  const { id: contactId } = await makeContact(asked.database, accountId, lead)
  await makeBareOpportunity(asked.database, accountId, { contactId, ownerUserId: seller.user.id })
  const lose = `update opportunity set owner_user_id = $1 where contact_id = $2`
  asked.meanwhile(() => asked.query(lose, [other.id, contactId]))
  const actions = { flow: all.flow, agent: all.agent }
  const made = dataOf(await seller.client.graphql(CREATE, { input: lead, actions }))
  expect(made.actions).toMatchObject({ flow: { enrolled: false }, agent: { error: gone('contact') } })
  expect(await asked.effects(world)).toEqual(NOTHING)
})

test("a pipeline's agent that was deleted begins with nobody, and is not told of", async () => {
  const world = await asked.makeWorld()
  const { client, accountId, agent, lead, everything, line } = world
  const { id } = await defaultPipelineOf(asked.database, accountId)
  await asked.set('pipeline', `entry_agent_id = '${agent.id}'`, id)
  await mutate(world, 'deleteAiAgent(id: $id) { id }', agent.id)
  const other = await client.post('/opportunities', { ...lead, enroll_in_flow_id: everything.enroll_in_flow_id })
  expect(errorsOf(other)).toEqual({ flow: null })
  const alone = await client.post('/opportunities', { ...lead, agent_channel_account_id: line.id })
  expect(errorsOf(alone).agent).toMatch(/no agent/)
})
