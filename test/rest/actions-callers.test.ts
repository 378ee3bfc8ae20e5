import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { ALL, AskedActions, type AskingWorld, CREATE, errorsOf, NO_ERRORS, NOTHING } from '../support/asked-actions.js'
import { type Answer, createClient } from '../support/client.js'
import { dataOf } from '../support/graphql.js'
import { callTool, connectAssistant } from '../support/mcp.js'

// The actions of an opportunity, by every way to ask for them.

let asked: AskedActions
beforeAll(async () => {
  asked = await AskedActions.start()
})
afterEach(() => asked.meanwhile(undefined))
afterAll(() => asked.stop())

describe('by GraphQL and by tools as over REST', () => {
  test('each action happens, and is told of', async () => {
    const world = await asked.makeWorld()
    const told = dataOf(await world.client.graphql(CREATE, { input: world.lead, actions: world.actions }))
    expect(told.actions).toEqual({
      email: { sent: true, error: null },
      flow: { enrolled: true, error: null },
      agent: { activated: true, error: null },
    })
    expect(await asked.effects(world)).toEqual(ALL)
    const other = await asked.makeWorld()
    const assistant = await connectAssistant(asked.services[0]!.origin, other.key)
    const result = await callTool(assistant, 'create_opportunity', { ...other.lead, ...other.everything })
    await assistant.close()
    expect(result).toMatchObject({
      structuredContent: {
        actions: {
          email: { sent: true, error: null },
          flow: { enrolled: true, error: null },
          agent: { activated: true, error: null },
        },
      },
    })
    expect(await asked.effects(other)).toEqual(ALL)
  })

  test.each(['the contact', 'the opportunity'])('%s is deleted meanwhile, and the call does not fail', async (what) => {
    const gone = ({ client }: AskingWorld) =>
      asked.meanwhile(({ contactId, opportunityId }) =>
        client.delete(what === 'the contact' ? `/contacts/${contactId}` : `/opportunities/${opportunityId}`),
      )
    const sent = what === 'the opportunity'
    const world = await asked.makeWorld()
    gone(world)
    const told = dataOf(await world.client.graphql(CREATE, { input: world.lead, actions: world.actions }))
    expect(told.actions).toMatchObject({
      email: { sent },
      flow: { enrolled: false, error: expect.stringContaining(what.split(' ')[1]!) },
      agent: { activated: false, error: expect.stringContaining(what.split(' ')[1]!) },
    })
    const other = await asked.makeWorld()
    gone(other)
    const assistant = await connectAssistant(asked.services[0]!.origin, other.key)
    const result = await callTool(assistant, 'create_opportunity', { ...other.lead, ...other.everything })
    await assistant.close()
    expect(result.isError).not.toBe(true)
    expect(result.structuredContent).toMatchObject({
      actions: { email: { sent }, flow: { enrolled: false }, agent: { activated: false } },
    })
    expect([await asked.effects(world), await asked.effects(other)]).toEqual(
      Array(2).fill({ ...NOTHING, mails: sent ? 1 : 0 }),
    )
  })
})

describe('with Prefer: handling=strict', () => {
  const strict = { Prefer: 'handling=strict' }

  test('an unknown member has nothing created, and nothing happen', async () => {
    const world = await asked.makeWorld()
    const body = { ...world.lead, ...world.everything, enroll_in_flow: world.flow.id }
    const answer = await world.client.post('/opportunities', body, strict)
    expect([answer.status, answer.body.actions]).toEqual([400, undefined])
    expect(await asked.query('select from opportunity where account_id = $1', [world.accountId])).toEqual([])
    expect(await asked.effects(world)).toEqual(NOTHING)
  })

  test('an id that is none is still only its action that fails', async () => {
    const world = await asked.makeWorld()
    const body = { ...world.lead, ...world.everything, enroll_in_flow_id: 'welcome' }
    const answer = await world.client.post('/opportunities', body, strict)
    expect([answer.status, errorsOf(answer)]).toEqual([201, { ...NO_ERRORS, flow: expect.stringMatching(/no uuid/) }])
    expect(await asked.effects(world)).toEqual({ ...ALL, enrollments: 0 })
  })
})

test('a key that two processes are asked with at once has each action happen once, and all are told the same', async () => {
  const world = await asked.makeWorld()
  const headers = { 'Idempotency-Key': randomUUID() }
  const clients = asked.services.map(({ origin }) => createClient(origin, world.key))
  const ask = (client: (typeof clients)[number]) =>
    client.post('/opportunities', { ...world.lead, ...world.everything }, headers)
  // The others come once the first has begun with its actions, and before it is through.
  const others: Promise<Answer>[] = []
  asked.meanwhile(async () => {
    for (const client of [...clients, ...clients]) others.push(ask(client))
    await delay(200)
  })
  const first = await ask(clients[0]!)
  const answers = [first, ...(await Promise.all(others)), await ask(clients[1]!)]
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
  expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(201))
  expect(errorsOf(first)).toEqual(NO_ERRORS)
  expect(await asked.effects(world)).toEqual(ALL)
})
