import { Scope } from '../../src/database/index.js'
import { tryOut } from '../../src/domains/workflows/index.js'
import { type AiService, makeTalk, saying, startAiService } from '../support/talking.js'

// What one question of these tests sets aside is less than this, and more than half of it.
const ONE = 10_000
let ai: AiService
beforeAll(async () => {
  ai = await startAiService({ dailyTokens: 3 * ONE })
})
afterAll(() => ai.stop())
afterEach(() => ai.forget())

const used = (prompt: number, completion: number) => ({ ...saying('Oi.'), usage: { prompt, completion } })

test('what a question took is booked, that of a second asking too', async () => {
  const talk = await makeTalk(ai)
  ai.chat.say({ ...used(100, 20), content: '{"reply":1}', unfitting: true }, used(150, 30))
  await talk.write('Oi')
  await ai.work()
  expect(await talk.usage()).toEqual({ tokens: 300, requests: 2 })
})

test('where nobody knows what it took, what was set aside stays; where nothing was asked, nothing does', async () => {
  const talk = await makeTalk(ai)
  ai.chat.disturb({ kind: 'busy' }, { kind: 'cut' })
  await talk.write('Oi')
  await ai.work()
  expect(await talk.usage()).toEqual({ tokens: 0, requests: 1 })
  await ai.work()
  const { tokens } = await talk.usage()
  expect(tokens).toBeGreaterThan(ONE / 2)
  expect(tokens).toBeLessThan(ONE)
})

test('used up, the agent has its own texts, and what was thought of the lead stays', async () => {
  const talk = await makeTalk(ai, { scripts: [{ keywords: ['preço'], reply: 'Custa 100, {{first_name}}.' }] })
  ai.chat.say({
    ...saying('Ótimo.', [{ criterion: 'Decides', quote: 'eu decido' }]),
    usage: { prompt: 3 * ONE - 100, completion: 100 },
  })
  await talk.write('Oi, eu decido')
  await ai.work()
  await talk.write('Tenho orçamento. Qual o preço?')
  await ai.work()
  expect(ai.sent()).toEqual(['hello', 'Ótimo.', 'Custa 100, Ana.'])
  expect(ai.chat.requests).toHaveLength(1)
  expect(await talk.read()).toMatchObject({ status: 'active', qualification_score: 30 })
  await talk.write('E a garantia?')
  await ai.work()
  expect(await talk.read()).toMatchObject({ status: 'manual' })
  expect(await talk.notes()).toEqual(['The account has no tokens of the model left for today.'])
  expect(await talk.usage()).toEqual({ tokens: 3 * ONE, requests: 1 })
})

test('another account has its own, and so has another day', async () => {
  const [one, other] = [await makeTalk(ai), await makeTalk(ai)]
  ai.chat.say(used(3 * ONE, 0))
  await one.write('Oi')
  await ai.work()
  await other.write('Oi')
  await ai.work()
  expect(ai.chat.requests).toHaveLength(2)
  await ai.service.database.pool.query('update ai_usage set day = day - 1 where account_id = $1', [one.accountId])
  await one.write('Oi')
  await ai.work()
  expect(ai.chat.requests).toHaveLength(3)
})

test('of many questions at once, in two processes, only as many are asked as fit in', async () => {
  const beside = await startAiService({ beside: ai, dailyTokens: 3 * ONE })
  try {
    const { accountId, agent, usage } = await makeTalk(ai)
    ai.chat.model = async () => {
      await new Promise((done) => setTimeout(done, 300))
      return { ...saying('Oi.'), usage: null }
    }
    const trials = await Promise.all(
      Array.from({ length: 20 }, (_, i) => {
        const { database } = (i % 2 === 0 ? ai : beside).service
        return tryOut(Scope.ofSystem(database, accountId), { agentId: agent.id, said: [{ by: 'lead', text: 'Oi' }] })
      }),
    )
    const { tokens, requests } = await usage()
    expect(trials.filter(({ reply }) => reply === 'Oi.')).toHaveLength(requests)
    expect(trials.filter(({ handsOver }) => handsOver !== null)).toHaveLength(20 - requests)
    expect(ai.chat.requests).toHaveLength(requests)
    expect(tokens).toBeLessThanOrEqual(3 * ONE)
    // One more would not have fitted in.
    expect(tokens + tokens / requests).toBeGreaterThan(3 * ONE)
  } finally {
    await beside.stop()
  }
})

test('it is shown where it stands, and what the agent did', async () => {
  const talk = await makeTalk(ai)
  ai.chat.say(used(100, 20))
  await talk.write('Oi')
  await ai.work()
  const { body } = await talk.client.graphql(
    `query ($id: ID!) {
    aiBudget { day dailyTokens usedTokens leftTokens questions resetsAt }
    conversation(id: $id) { agentRuns { kind state messageId error failures dueAt } }
  }`,
    { id: talk.conversationId },
  )
  const today = new Date().toISOString().slice(0, 10)
  expect(body.data.aiBudget).toEqual({
    day: today,
    dailyTokens: 3 * ONE,
    usedTokens: 120,
    leftTokens: 3 * ONE - 120,
    questions: 1,
    resetsAt: new Date(Date.parse(today) + 86_400_000).toISOString(),
  })
  const run = { state: 'DONE', messageId: expect.any(String), error: null, failures: 0, dueAt: null }
  expect(body.data.conversation.agentRuns).toEqual([
    { kind: 'REPLY', ...run },
    { kind: 'OPENING', ...run },
  ])
})
