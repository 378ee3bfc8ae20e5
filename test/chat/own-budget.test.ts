import { UserRole } from '../../src/domains/users/index.js'
import { createdClient, makeAgency } from '../support/agencies.js'
import { startTestApp } from '../support/app.js'
import { createClient } from '../support/client.js'
import { givePassword, makePerson, signIn } from '../support/factories/people.js'
import { makeKey, makeTenant } from '../support/factories.js'
import { dataOf, failureOf, faultsOf } from '../support/graphql.js'
import { type AiService, makeTalk, saying, startAiService } from '../support/talking.js'

const MOST = 100_000
let ai: AiService
beforeAll(async () => {
  ai = await startAiService({ dailyTokens: MOST })
})
afterAll(() => ai.stop())
afterEach(() => ai.forget())

type Client = ReturnType<typeof createClient>
const FIELDS = 'dailyTokens ownDailyTokens maxDailyTokens usedTokens leftTokens'
const SET = `mutation ($input: UpdateAiBudgetInput!) { updateAiBudget(input: $input) { ${FIELDS} } }`
const set = (client: Pick<Client, 'graphql'>, dailyTokens: unknown) => client.graphql(SET, { input: { dailyTokens } })
const budget = async (client: Pick<Client, 'graphql'>) => dataOf(await client.graphql(`{ aiBudget { ${FIELDS} } }`))
const deeds = async (accountId: string) =>
  (
    await ai.service.database.pool.query(
      "select action, subject_id, fields from audit_entry where account_id = $1 and subject_kind = 'ai_budget'",
      [accountId],
    )
  ).rows
const UNUSED = { maxDailyTokens: MOST, usedTokens: 0 }
const UNSET = { ...UNUSED, dailyTokens: MOST, ownDailyTokens: null, leftTokens: MOST }
const took = (tokens: number) => ({ ...saying('Oi.'), usage: { prompt: tokens, completion: 0 } })

test('without a word of the account it is what the operator allows, and then what the account says, until it takes that back', async () => {
  const { client, accountId } = await makeTenant(ai.service)
  expect(await budget(client)).toEqual(UNSET)
  const own = { ...UNUSED, dailyTokens: 40_000, ownDailyTokens: 40_000, leftTokens: 40_000 }
  expect(dataOf(await set(client, 40_000))).toEqual(own)
  expect(await budget(client)).toEqual(own)
  expect(dataOf(await client.graphql(SET, { input: {} }))).toEqual(own)
  expect(dataOf(await set(client, 40_000))).toEqual(own)
  expect(dataOf(await set(client, null))).toEqual(UNSET)
  const deed = { action: 'updated', subject_id: accountId, fields: ['dailyTokens'] }
  expect(await deeds(accountId)).toEqual([deed, deed])
})

test.each([
  ['the least that an answer takes', 20_000],
  ['all that the operator allows', MOST],
  ['nothing', 0],
])('%s can be set', async (_, tokens) => {
  const { client } = await makeTenant(ai.service)
  expect(dataOf(await set(client, tokens))).toMatchObject({ dailyTokens: tokens, ownDailyTokens: tokens })
})

test.each([1, 19_999, MOST + 1, 20_000.5, -1, -20_000, 1e300])('%d cannot, and nothing changes', async (tokens) => {
  const { client, accountId } = await makeTenant(ai.service)
  dataOf(await set(client, 50_000))
  expect(faultsOf(await set(client, tokens))).toEqual([
    `input.dailyTokens: must be 0, or a whole number from 20000 to ${MOST}`,
  ])
  expect(await budget(client)).toMatchObject({ ownDailyTokens: 50_000 })
  expect(await deeds(accountId)).toHaveLength(1)
})

test('an admin sets it, and no manager, no seller and no key without the permission', async () => {
  const admin = await makePerson(ai.service)
  const [manager, seller] = await Promise.all(
    [UserRole.MANAGER, UserRole.SELLER].map((role) => makePerson(ai.service, { tenant: admin.tenant, role })),
  )
  const sessions = await Promise.all([manager!, seller!].map(({ email }) => signIn(ai.service, email)))
  const { secret } = await makeKey(ai.service.database, admin.tenant.accountId, { permissions: ['agents:read'] })
  for (const { graphql } of [...sessions.map(({ client }) => client), createClient(ai.service.origin, secret)]) {
    expect(failureOf(await set({ graphql }, 30_000)).code).toBe('INSUFFICIENT_PERMISSIONS')
  }
  const { client } = await signIn(ai.service, admin.email)
  expect(dataOf(await set(client, 30_000))).toMatchObject({ dailyTokens: 30_000 })
})

test('that of one account is of no other, be it a sub-account of the same agency, whose admins set their own', async () => {
  const agency = await makeAgency(ai.service)
  const [one, other] = [await createdClient(agency), await createdClient(agency)]
  const { rows } = await ai.service.database.pool.query<{ id: string; email: string }>(
    'select id, email from app_user where account_id = $1',
    [one],
  )
  await givePassword(ai.service.database, rows[0]!.id)
  const { client } = await signIn(ai.service, rows[0]!.email)
  expect(dataOf(await set(client, 30_000))).toMatchObject({ dailyTokens: 30_000 })
  const { secret } = await makeKey(ai.service.database, other, { permissions: ['agents:read'] })
  expect(await budget(createClient(ai.service.origin, secret))).toEqual(UNSET)
  expect(failureOf(await set(createClient(ai.service.origin, agency.token), 20_000)).code).toBe(
    'INSUFFICIENT_PERMISSIONS',
  )
  expect((await agency.client.remove(one)).status).toBe(200)
  expect(failureOf(await set(client, 40_000)).code).toBe('INVALID_SESSION')
})

describe('a budget that is lowered', () => {
  test('holds from the next question on: the one that is being asked is answered and booked', async () => {
    const talk = await makeTalk(ai)
    ai.chat.say(async () => {
      expect(dataOf(await set(talk.client, 20_000)).usedTokens).toBeGreaterThan(0)
      return took(60_000)
    })
    await talk.write('Oi')
    await ai.work()
    expect(ai.sent()).toEqual(['hello', 'Oi.'])
    expect(await budget(talk.client)).toMatchObject({ dailyTokens: 20_000, usedTokens: 60_000, leftTokens: 0 })
    await talk.write('E agora?')
    await ai.work()
    expect(ai.chat.requests).toHaveLength(1)
    expect(await talk.read()).toMatchObject({ status: 'manual' })
    // Raised again, what was used stays used.
    dataOf(await set(talk.client, 90_000))
    expect(await budget(talk.client)).toMatchObject({ usedTokens: 60_000, leftTokens: 30_000 })
    await talk.run('handBackConversation(id: $id) { id }')
    ai.chat.say(took(100))
    await talk.write('E amanhã?')
    await ai.work()
    expect(ai.chat.requests).toHaveLength(2)
  })

  test('while the first answer was unusable: it is not asked for once more', async () => {
    const talk = await makeTalk(ai)
    ai.chat.say(async () => {
      dataOf(await set(talk.client, 0))
      return { content: '{"reply":1}', unfitting: true, usage: { prompt: 10, completion: 0 } }
    })
    await talk.write('Oi')
    await ai.work()
    expect(ai.chat.requests).toHaveLength(1)
    expect(ai.sent()).toEqual(['hello'])
  })

  test('to nothing leaves the agent its own texts, and an answer is no action of one that has none', async () => {
    const talk = await makeTalk(ai, { scripts: [{ keywords: ['preço'], reply: 'Custa 100.' }], criteria: [] })
    const names = async () =>
      dataOf(await talk.client.graphql(`{ aiAgent(id: "${talk.agent.id}") { actions } }`)).actions as string[]
    dataOf(await set(talk.client, 0))
    await talk.write('Qual o preço?')
    await ai.work()
    expect(ai.chat.requests).toHaveLength(0)
    expect(ai.sent()).toEqual(['hello', 'Custa 100.'])
    expect(await names()).toContain('ANSWER')
    await ai.service.database.pool.query("update ai_agent set scripts = '[]' where id = $1", [talk.agent.id])
    expect(await names()).not.toContain('ANSWER')
    dataOf(await set(talk.client, null))
    expect(await names()).toContain('ANSWER')
  })
})

test('what the operator has lowered since counts, and what the account had set may be sent back', async () => {
  const { client, accountId } = await makeTenant(ai.service)
  dataOf(await set(client, 80_000))
  const beside = await startAiService({ beside: ai, dailyTokens: 30_000 })
  try {
    const { secret } = await makeKey(beside.service.database, accountId, { permissions: ['*'] })
    const there = createClient(beside.service.origin, secret)
    const now = { dailyTokens: 30_000, ownDailyTokens: 80_000, maxDailyTokens: 30_000, leftTokens: 30_000 }
    expect(await budget(there)).toMatchObject(now)
    expect(dataOf(await set(there, 80_000))).toMatchObject(now)
    expect(faultsOf(await set(there, 80_001))).toHaveLength(1)
  } finally {
    await beside.stop()
  }
})

test('twenty that set it at once leave what one of them said, and an entry of each change', async () => {
  const { client, accountId } = await makeTenant(ai.service)
  const figures = Array.from({ length: 20 }, (_, i) => 20_000 + i)
  const answers = await Promise.all(figures.map((tokens) => set(client, tokens)))
  for (const answer of answers) dataOf(answer)
  expect(figures).toContain((await budget(client)).ownDailyTokens)
  expect(await deeds(accountId)).toHaveLength(20)
})

test('where there is no model there is no budget to set', async () => {
  const service = await startTestApp()
  try {
    const { client } = await makeTenant(service)
    expect(dataOf(await client.graphql('{ aiBudget { dailyTokens } }'))).toBeNull()
    for (const tokens of [50_000, 0, null, 1]) {
      expect(failureOf(await set(client, tokens)).code).toBe('NO_LANGUAGE_MODEL')
    }
  } finally {
    await service.stop()
  }
})
