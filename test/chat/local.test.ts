import type { ChatRequest, LocalChat } from '../support/chat/index.js'
import { startLocalChat } from '../support/chat/index.js'

let chat: LocalChat
beforeEach(async () => {
  chat = await startLocalChat({ context: 5000 })
})
afterEach(() => chat.stop().catch(() => {}))

async function ask(body: unknown, { key = 'local_key', path = '/chat/completions', type = 'application/json' } = {}) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': type }
  const response = await fetch(chat.base + path, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: response.status, body: (await response.json()) as { error?: { message: string; code: string } } }
}

const messages: ChatRequest['messages'] = [{ role: 'user', content: 'Hi' }]
const plain = { model: 'local', messages }
const formed = (schema: object, name = 'it') => ({
  ...plain,
  response_format: { type: 'json_schema', json_schema: { name, strict: true, schema } },
})
const object = (properties: object, more: object = {}) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
})
const nested = (depth: number): object => object(depth === 1 ? {} : { in: nested(depth - 1) })

test('what fits is answered as the types of the package say', async () => {
  expect(await ask(plain)).toMatchObject({ status: 200, body: { object: 'chat.completion' } })
  expect(
    await ask(formed(object({ a: { type: 'string' }, b: { type: 'array', items: { type: 'integer' } } }))),
  ).toMatchObject({
    status: 200,
    body: { choices: [{ message: { content: '{"a":"Thanks for your message!","b":[]}' }, finish_reason: 'stop' }] },
  })
  await chat.stop()
})

describe('what does not fit is refused, and held against whoever asked', () => {
  test.each<[string, unknown]>([
    ['no messages', { model: 'local' }],
    ['an empty list of messages', { model: 'local', messages: [] }],
    ['no model', { messages }],
    ['a role that is none', { ...plain, messages: [{ role: 'lead', content: 'Hi' }] }],
    ['an empty message', { ...plain, messages: [{ role: 'user', content: '' }] }],
    [
      'an answer of a tool that was not asked',
      { ...plain, messages: [{ role: 'tool', content: '1', tool_call_id: 'x' }] },
    ],
    ['a parameter that is none', { ...plain, max_token: 1 }],
    ['a number as a text', { ...plain, temperature: '1' }],
    ['a temperature out of range', { ...plain, temperature: 2.5 }],
    ['half a token', { ...plain, max_completion_tokens: 1.5 }],
    ['no token', { ...plain, max_completion_tokens: 0 }],
    ['both ways to say how long', { ...plain, max_completion_tokens: 5, max_tokens: 5 }],
    ['a choice of tools without tools', { ...plain, tool_choice: 'auto' }],
    ['JSON that no message speaks of', { ...plain, response_format: { type: 'json_object' } }],
    ['a form without a name', { ...plain, response_format: { type: 'json_schema', json_schema: { schema: {} } } }],
    ['a form with a bad name', formed(object({}), 'my form')],
    ['a form that is no object', formed({ type: 'array', items: { type: 'string' } })],
    ['a form with an optional field', formed(object({ a: { type: 'string' } }, { required: [] }))],
    ['a form that lets other fields be', formed(object({ a: { type: 'string' } }, { additionalProperties: true }))],
    ['a form with a keyword that is not heeded', formed(object({ a: { type: 'string', maxLength: 5 } }))],
    ['a form that is too deep', formed(nested(11))],
    ['a stream', { ...plain, stream: true }],
  ])('%s', async (_, body) => {
    expect((await ask(body)).status).toBe(400)
    expect(chat.complaints).not.toEqual([])
    await expect(chat.stop()).rejects.toThrow('complains')
  })

  test('another address, another type', async () => {
    expect((await ask(plain, { path: '/completions' })).status).toBe(404)
    expect((await ask(plain, { type: 'text/plain' })).status).toBe(415)
    expect(chat.takeComplaints()).toHaveLength(2)
  })
})

test('what may happen to anybody is refused without a complaint', async () => {
  expect(await ask(plain, { key: 'other' })).toMatchObject({
    status: 401,
    body: { error: { code: 'invalid_api_key' } },
  })
  expect(await ask({ ...plain, model: 'x' })).toMatchObject({
    status: 404,
    body: { error: { code: 'model_not_found' } },
  })
  const long = { ...plain, messages: [{ role: 'user', content: 'x'.repeat(30_000) }] }
  expect(await ask(long)).toMatchObject({ status: 400, body: { error: { code: 'context_length_exceeded' } } })
  await chat.stop()
})

test('a model that says what it may not be heard to say is held against the test', async () => {
  chat.say({ content: '{"b":1}' }, { content: 'Hi' })
  await ask(formed(object({ a: { type: 'string' } })))
  await ask(formed(object({ a: { type: 'string' } })))
  expect(chat.takeComplaints()).toHaveLength(3)
})
