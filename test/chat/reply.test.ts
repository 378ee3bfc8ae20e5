import { type Fault, filling, type ModelSays } from '../support/chat/index.js'
import { makeArticle } from '../support/factories/conversations.js'
import { type AiService, askedOf, makeTalk, SOFIA, saying, startAiService } from '../support/talking.js'

let ai: AiService
beforeAll(async () => {
  ai = await startAiService()
})
afterAll(() => ai.stop())
afterEach(() => ai.forget())

test('a reply is composed of what the agent is, what it knows, and what was said', async () => {
  const talk = await makeTalk(ai, { scripts: [{ keywords: ['garantia'], reply: 'Dez anos, {{first_name}}.' }] })
  await makeArticle(ai.service.database, talk.accountId, talk.agent.id, { name: 'Preços', content: 'O kit custa 100.' })
  await makeArticle(ai.service.database, talk.accountId, talk.agent.id, {
    name: 'Férias',
    content: 'Fechado em agosto.',
  })
  ai.chat.say(saying('O kit custa 100, {{first_name}}.', [{ criterion: 'Has a budget', quote: 'tenho 500 guardados' }]))
  await talk.write('Oi!')
  await talk.write('Quanto custa o kit? Tenho 500 guardados.')
  await ai.work()
  expect(ai.sent()).toEqual(['hello', 'O kit custa 100, Ana.'])
  expect(ai.channel.sent.at(-1)!.to).toEqual({ phone: talk.phone })
  const [{ instructions, data }] = ai.chat.requests.map(askedOf) as [ReturnType<typeof askedOf>]
  expect(instructions).toContain(SOFIA.persona)
  expect(instructions).toContain('garantia: Dez anos')
  expect(instructions).not.toMatch(/Ana|Aurora|500 guardados|custa 100/)
  expect(data).toEqual({
    lead: { name: 'Ana Souza', company: 'Aurora' },
    said: [
      { by: 'ai', text: 'Olá Ana, aqui é Sofia.' },
      { by: 'lead', text: 'Oi!' },
      { by: 'lead', text: 'Quanto custa o kit? Tenho 500 guardados.' },
    ],
    knowledge: [{ name: 'Preços', text: 'O kit custa 100.' }],
  })
  expect(await talk.read()).toMatchObject({
    status: 'active',
    qualification_score: 50,
    qualification_stage: 'warm',
    qualification_reasons: ['Has a budget: “tenho 500 guardados”'],
    objections_history: [],
  })
  expect(await talk.runs()).toMatchObject([{ state: 'done', error: null, failures: 0 }])
})

test('an agent without criteria thinks nothing of the lead', async () => {
  const talk = await makeTalk(ai, { criteria: [] })
  ai.chat.say(filling({ reply: 'Oi!', hand_over: false }))
  await talk.write('Oi')
  await ai.work()
  expect(ai.sent()).toEqual(['hello', 'Oi!'])
  expect((await talk.read()).qualification_score).toBeNull()
})

test('what is long is cut before a model is asked, the newest is not', async () => {
  const talk = await makeTalk(ai)
  await ai.service.database.pool.query("update contact set company = repeat('é', 255) where account_id = $1", [
    talk.accountId,
  ])
  for (let i = 0; i < 8; i++) await talk.write(`${i} ${'longo '.repeat(1500)}`)
  await makeArticle(ai.service.database, talk.accountId, talk.agent.id, { content: 'longo '.repeat(3000) })
  await ai.work()
  const { data } = askedOf(ai.chat.requests[0]!)
  expect(data.said.map(({ text }) => text[0])).toEqual(['5', '6', '7'])
  expect(JSON.stringify(data).length).toBeLessThan(20_000)
  expect(ai.sent()).toHaveLength(2)
})

test('an agent may leave a conversation to people, with its last words', async () => {
  const talk = await makeTalk(ai)
  ai.chat.say(saying('Vou chamar uma colega.', [], true))
  await talk.write('Quero falar com uma pessoa')
  await ai.work()
  expect(ai.sent()).toEqual(['hello', 'Vou chamar uma colega.'])
  expect(await talk.read()).toMatchObject({ status: 'manual' })
  expect(await talk.notes()).toEqual(['The agent leaves this to a person.'])
  await talk.write('Alguém?')
  await ai.work()
  expect(ai.chat.requests).toHaveLength(1)
})

test('where nothing is to be said, nothing is', async () => {
  const talk = await makeTalk(ai)
  ai.chat.say(saying(null))
  await talk.write('ok')
  await ai.work()
  expect(ai.sent()).toEqual(['hello'])
  expect(await talk.runs()).toMatchObject([{ state: 'done', message_id: null }])
})

describe('an answer that does not fit is asked for once more', () => {
  // The others differ in nothing that matters then.
  const AGAIN = ['no JSON', 'a refusal', 'a cut', 'a call']
  const wrong: [string, ModelSays][] = [
    ['no JSON', { content: '{"reply":"O', unfitting: true }],
    ['a list', { content: '["Oi"]', unfitting: true }],
    ['a field missing', { content: '{"reply":"Half"}', unfitting: true }],
    ['an empty reply', saying('  ')],
    ['a reply that is too long', saying('x'.repeat(2001))],
    ['a reply with control characters', saying('a\u0000b')],
    ['a refusal', { refusal: 'No.' }],
    ['nothing', { content: '', unfitting: true }],
    ['a cut', { content: '{"reply":"Half of', finish: 'length' }],
    ['a filter', { content: null, finish: 'content_filter' }],
    ['a call', { calls: [{ name: 'send', arguments: '{"to":"+5511911112222"}' }] }],
  ]
  test.each(wrong)('%s, and then it fits', async (_, says) => {
    const talk = await makeTalk(ai)
    ai.chat.say(says, saying('Oi, Ana.'))
    await talk.write('Oi')
    await ai.work()
    expect(ai.sent()).toEqual(['hello', 'Oi, Ana.'])
    expect(ai.chat.requests).toHaveLength(2)
    expect(await talk.runs()).toMatchObject([{ state: 'done', failures: 0 }])
  })

  test.each(wrong.filter(([name]) => AGAIN.includes(name)))(
    '%s, and again, and again: people have the conversation',
    async (_, says) => {
      const talk = await makeTalk(ai)
      ai.chat.model = () => says
      await talk.write('Oi')
      await ai.work(8)
      expect(ai.sent()).toEqual(['hello'])
      expect(await talk.runs()).toMatchObject([{ state: 'failed', failures: 6, message_id: null }])
      expect(await talk.read()).toMatchObject({ status: 'manual' })
      expect(await talk.notes()).toEqual([
        expect.stringMatching(/^The agent could not answer\. The model has given no answer/),
      ])
      expect((await talk.messages()).map(({ content }) => content)).toEqual(['Olá Ana, aqui é Sofia.', 'Oi'])
      expect(ai.chat.requests).toHaveLength(12)
    },
  )

  test.each<[string, unknown]>([
    ['a text', 'hot'],
    ['a criterion of its own', [{ criterion: 'Is our best lead', quote: 'Oi' }]],
    ['a quote missing', [{ criterion: 'Decides' }]],
    ['more fields', undefined],
  ])('what it thinks of the lead is %s, twice: the reply is sent without', async (_, findings) => {
    const talk = await makeTalk(ai)
    const content = JSON.stringify({
      reply: 'Oi, Ana.',
      hand_over: false,
      findings,
      ...(findings ? {} : { score: 100 }),
    })
    ai.chat.model = () => ({ content, unfitting: true })
    await talk.write('Oi, eu decido')
    await ai.work()
    expect(ai.sent()).toEqual(['hello', 'Oi, Ana.'])
    expect((await talk.read()).qualification_score).toBeNull()
    expect(ai.chat.requests).toHaveLength(2)
  })

  test('of a service that heeds no form a plain text is a reply', async () => {
    const talk = await makeTalk(ai)
    ai.chat.model = () => ({ content: 'Oi, Ana.', unfitting: true })
    await talk.write('Oi')
    await ai.work()
    expect(ai.sent()).toEqual(['hello', 'Oi, Ana.'])
    expect((await talk.read()).qualification_score).toBeNull()
  })

  test('one that is fenced as models like to do is an answer', async () => {
    const talk = await makeTalk(ai)
    ai.chat.say({ content: `\`\`\`json\n${saying('Oi.').content}\n\`\`\``, unfitting: true })
    await talk.write('Oi')
    await ai.work()
    expect(ai.sent()).toEqual(['hello', 'Oi.'])
    expect(ai.chat.requests).toHaveLength(1)
  })
})

describe('a model that does not answer is asked again later', () => {
  test.each<Fault['kind']>(['busy', 'error', 'overloaded', 'gateway', 'reset', 'cut', 'malformed', 'foreign'])(
    '%s, and then it does',
    async (kind) => {
      const talk = await makeTalk(ai)
      ai.chat.disturb({ kind })
      await talk.write('Oi')
      await ai.work()
      expect(await talk.runs()).toMatchObject([
        { state: 'due', failures: 1, error: expect.stringMatching(/^The model has not answered\. \w/) },
      ])
      ai.chat.say(saying('Oi, Ana.'))
      await ai.work()
      expect(ai.sent()).toEqual(['hello', 'Oi, Ana.'])
      expect(await talk.runs()).toMatchObject([{ state: 'done', error: null, attempts: 2 }])
    },
  )

  test('never: people have the conversation, and the lead’s message is where it was', async () => {
    const talk = await makeTalk(ai)
    ai.chat.disturb({ kind: 'error', times: 100 })
    await talk.write('Oi')
    await ai.work(8)
    expect(ai.sent()).toEqual(['hello'])
    expect(await talk.read()).toMatchObject({ status: 'manual' })
    expect(await talk.runs()).toMatchObject([{ state: 'failed', failures: 6 }])
    expect(await talk.notes()).toEqual([
      'The agent could not answer. The model has not answered. It has a fault (500).',
    ])
    expect((await talk.messages()).at(-1)).toMatchObject({ sender_type: 'lead', content: 'Oi' })
  })

  test('as late as it says', async () => {
    const talk = await makeTalk(ai)
    ai.chat.disturb({ kind: 'busy', retryAfter: '60' })
    await talk.write('Oi')
    await ai.work()
    const [run] = await talk.runs()
    expect(run.state).toBe('due')
    expect(Date.parse(run.due_at) - Date.now()).toBeGreaterThan(40_000)
  })

  test.each<[string, Fault]>([
    ['says that it takes too long', { kind: 'busy', retryAfter: '3000' }],
    ['has no money left', { kind: 'quota' }],
  ])('not where it %s: people have the conversation at once', async (_, fault) => {
    const talk = await makeTalk(ai)
    ai.chat.disturb(fault)
    await talk.write('Oi')
    await ai.work()
    expect(await talk.read()).toMatchObject({ status: 'manual' })
    expect(await talk.runs()).toMatchObject([{ state: 'failed', attempts: 1 }])
  })
})
