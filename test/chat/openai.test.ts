import { type ChatQuestion, OpenAiChat } from '../../src/integrations/chat/index.js'
import { type Fault, filling, type LocalChat, type ModelSays, startLocalChat } from '../support/chat/index.js'

let chat: LocalChat
beforeEach(async () => {
  chat = await startLocalChat()
})
afterEach(() => chat.stop())

const open = (more: Partial<{ apiBase: string; apiKey: string; model: string }> = {}, patienceMs?: number) =>
  new OpenAiChat({ apiBase: chat.base, apiKey: chat.key, model: 'local', ...more }, patienceMs)

const QUESTION: ChatQuestion = {
  instructions: 'Greet whoever writes.',
  data: '{"said":["Oi \\"all\\""]}',
  form: {
    name: 'greeting',
    schema: {
      type: 'object',
      properties: { reply: { type: 'string' } },
      required: ['reply'],
      additionalProperties: false,
    },
  },
  maxTokens: 100,
}
const GREETING = filling({ reply: 'Olá!' })

test('a question is asked as the API wants it, and its answer is told with what it took', async () => {
  chat.say({ ...GREETING, usage: { prompt: 40, completion: 7 } })
  expect(await open().ask(QUESTION)).toEqual({ outcome: 'answered', text: '{"reply":"Olá!"}', tokens: 47 })
  expect(chat.requests).toEqual([
    {
      model: 'local',
      messages: [
        { role: 'system', content: 'Greet whoever writes.' },
        { role: 'user', content: '{"said":["Oi \\"all\\""]}' },
      ],
      max_completion_tokens: 100,
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'greeting', strict: true, schema: QUESTION.form.schema },
      },
    },
  ])
})

test('asked once more, it is told what it said and what is wrong with that', async () => {
  const before = { answer: 'Hi', fault: 'It was no JSON.' }
  expect(await open().ask({ ...QUESTION, before })).toMatchObject({ outcome: 'answered' })
  expect(chat.requests[0]!.messages.slice(2)).toEqual([
    { role: 'assistant', content: 'Hi' },
    { role: 'user', content: 'It was no JSON.' },
  ])
})

describe('what keeps an answer from coming', () => {
  test.each<[Fault, object]>([
    [
      { kind: 'busy', retryAfter: '7' },
      { outcome: 'later', tokens: 0, retryAfterMs: 7000 },
    ],
    [
      { kind: 'busy', retryAfter: 'soon' },
      { outcome: 'later', tokens: 0 },
    ],
    [{ kind: 'quota' }, { outcome: 'refused', tokens: 0 }],
    [{ kind: 'error' }, { outcome: 'later', tokens: null }],
    [{ kind: 'overloaded' }, { outcome: 'later', tokens: null }],
    [{ kind: 'gateway' }, { outcome: 'later', tokens: null }],
    [
      { kind: 'slow', delayMs: 3000 },
      { outcome: 'later', tokens: null },
    ],
    [{ kind: 'stalled' }, { outcome: 'later', tokens: null }],
    [{ kind: 'reset' }, { outcome: 'later', tokens: null }],
    [{ kind: 'cut' }, { outcome: 'later', tokens: null }],
    [{ kind: 'malformed' }, { outcome: 'later', tokens: null }],
    [{ kind: 'foreign' }, { outcome: 'later', tokens: null }],
    [{ kind: 'endless' }, { outcome: 'later', tokens: null }],
  ])('%j', async (fault, outcome) => {
    chat.disturb(fault)
    const patience = fault.kind === 'slow' || fault.kind === 'stalled' ? 500 : 60_000
    expect(await open({}, patience).ask(QUESTION)).toEqual({ reason: expect.stringMatching(/\w/), ...outcome })
    expect(chat.requests.length).toBeLessThanOrEqual(1)
    expect(await open().ask(QUESTION)).toMatchObject({ outcome: 'answered' })
  })

  test.each<[string, Parameters<typeof open>[0], object]>([
    ['a key that opens nothing', { apiKey: 'sk-secret-of-ours' }, { outcome: 'refused', tokens: 0 }],
    ['a model that is not there', { model: 'other' }, { outcome: 'refused', tokens: 0 }],
    ['no such host', { apiBase: 'http://chat.invalid/v1' }, { outcome: 'later', tokens: 0 }],
  ])('%s', async (_, settings, outcome) => {
    const answer = await open(settings).ask(QUESTION)
    expect(answer).toEqual({ reason: expect.stringMatching(/\w/), ...outcome })
    expect(JSON.stringify(answer)).not.toMatch(/sk-secret/)
  })
})

test('where nobody listens any more, nothing was asked', async () => {
  const gone = await startLocalChat()
  await gone.stop()
  const answer = await open({ apiBase: gone.base }).ask(QUESTION)
  expect(answer).toEqual({ outcome: 'later', tokens: 0, reason: 'It cannot be reached.' })
})

describe('an answer that cannot be used', () => {
  test.each<[string, ModelSays]>([
    ['a refusal', { refusal: 'I cannot help with that.' }],
    ['nothing', { content: '', unfitting: true }],
    ['blank', { content: ' \n', unfitting: true }],
    ['no choice', { silent: true }],
    ['held back by a filter', { content: '{"reply":"O', finish: 'content_filter' }],
    ['longer than was asked for', { content: JSON.stringify({ reply: 'x'.repeat(1000) }) }],
    ['a call of a function', { calls: [{ name: 'send_message', arguments: '{"to":"+5511911112222"}' }] }],
  ])('%s', async (_, says) => {
    chat.say(says)
    const tokens = expect.any(Number)
    expect(await open().ask(QUESTION)).toEqual({ outcome: 'unusable', reason: expect.stringMatching(/\w/), tokens })
  })

  test('tokens that are not told are not guessed', async () => {
    chat.say({ ...GREETING, usage: null })
    expect(await open().ask(QUESTION)).toMatchObject({ outcome: 'answered', tokens: null })
  })
})

test('variables that the client reads by itself change nothing, and nothing of the machine is told', async () => {
  const OWN = {
    OPENAI_API_KEY: 'sk-other',
    OPENAI_BASE_URL: 'http://127.0.0.1:9/v1',
    OPENAI_ORG_ID: 'org-other',
    OPENAI_PROJECT_ID: 'proj-other',
    OPENAI_CUSTOM_HEADERS: 'X-Other: 1',
    OPENAI_LOG: 'debug',
  }
  Object.assign(process.env, OWN)
  try {
    expect(await open().ask(QUESTION)).toMatchObject({ outcome: 'answered' })
  } finally {
    for (const name of Object.keys(OWN)) delete process.env[name]
  }
  const names = Object.keys(chat.headers[0]!).filter(
    (name) => !/^(host|connection|accept|content|sec-fetch)/.test(name),
  )
  expect(names.toSorted()).toEqual(['authorization', 'user-agent'])
  expect(chat.headers[0]).toMatchObject({ authorization: 'Bearer local_key', 'user-agent': 'Fairlead' })
})
