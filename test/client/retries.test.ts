import {
  ConnectionError,
  DuplicateError,
  Fairlead,
  FairleadError,
  InsufficientPermissionsError,
  NotFoundError,
  RateLimitExceededError,
  ServiceUnavailableError,
  TimeoutError,
  ValidationError,
} from '../../schema/clients/typescript/src/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { makeTenant } from '../support/factories.js'
import { type Fault, type FaultyProxy, startFaultyProxy } from '../support/faulty-proxy.js'

let service: TestApp
let proxy: FaultyProxy
beforeAll(async () => {
  service = await startTestApp()
  proxy = await startFaultyProxy(service.origin)
})
afterAll(async () => {
  await proxy.close()
  await service.stop()
})

const JSON_BODY = { 'Content-Type': 'application/json' }
const refusal = (status: number, code: string, headers: Record<string, string> = {}): Fault => ({
  status,
  headers: { ...JSON_BODY, ...headers },
  body: JSON.stringify({ success: false, error: { code, message: 'Not now.', request_id: 'r' } }),
})
const BUSY = refusal(503, 'SERVICE_UNAVAILABLE')
const FROM_A_PROXY: Fault = { status: 502, headers: { 'Content-Type': 'text/html' }, body: '<h1>Bad Gateway</h1>' }

/** A client behind the proxy, with an account of its own, that hardly waits where nobody asks it to. */
async function behindProxy(options: { timeoutMs?: number; maxPauseMs?: number; permissions?: string[] } = {}) {
  const { permissions, ...given } = options
  const { key, client } = await makeTenant(service, { permissions })
  return { fairlead: new Fairlead({ baseUrl: proxy.origin, apiKey: key, firstPauseMs: 2, ...given }), client }
}

describe('a create that meets', () => {
  test.each<[string, Fault[]]>([
    ['a busy server', [BUSY, BUSY]],
    ['a busy server that says for how long', [refusal(503, 'SERVICE_UNAVAILABLE', { 'Retry-After': '0' })]],
    ['a cut connection on its way there', ['cut before it arrives', 'cut before it arrives']],
    ['a cut connection on its way back', ['cut after it was done', 'cut after it was done']],
    ['a proxy whose server is gone', [FROM_A_PROXY, { status: 504 }]],
    ['all of it', ['cut after it was done', BUSY, FROM_A_PROXY, 'cut before it arrives']],
  ])('%s is done, and once', async (_, faults) => {
    const { fairlead, client } = await behindProxy()
    proxy.plan(...faults)
    const { data, http } = await fairlead.createContact({ name: 'Ana', email: 'ana@example.com' })
    expect(http.attempts).toBe(faults.length + 1)
    expect(http.replayed).toBe(faults.includes('cut after it was done'))
    const keys = new Set(proxy.seen.map(({ headers }) => headers['idempotency-key']))
    expect(keys.size).toBe(1)
    expect((await client.get('/contacts')).body.data).toMatchObject([{ id: data.id, email: 'ana@example.com' }])
  })
})

test('each call has a key of its own, and the one that it is given', async () => {
  const { fairlead, client } = await behindProxy()
  proxy.plan()
  await fairlead.createContact({ name: 'Ana' })
  await fairlead.createContact({ name: 'Ana' })
  const [one, two] = proxy.seen.map(({ headers }) => headers['idempotency-key'])
  expect(one).toMatch(/^[0-9a-f]{32}$/)
  expect(two).not.toBe(one)
  await fairlead.createContact({ name: 'Bia' }, { idempotencyKey: 'row-1' })
  const again = await fairlead.createContact({ name: 'Bia' }, { idempotencyKey: 'row-1' })
  expect(again.http.replayed).toBe(true)
  expect((await client.get('/contacts')).body.pagination.total).toBe(3)
})

test('a limit that is over soon is waited for as long as Retry-After says', async () => {
  const { fairlead } = await behindProxy()
  proxy.plan(refusal(429, 'RATE_LIMIT_EXCEEDED', { 'Retry-After': '1' }))
  const before = performance.now()
  const { http } = await fairlead.listContacts()
  expect(http.attempts).toBe(2)
  // A timer may be a little early; a guess of ours would have been over after two milliseconds.
  expect(performance.now() - before).toBeGreaterThan(990)
})

test('a limit that is over in an hour, or on a date far off, is told at once', async () => {
  const { fairlead } = await behindProxy()
  const later = new Date(Date.now() + 3_600_000).toUTCString()
  for (const wait of ['3600', later]) {
    proxy.plan(refusal(429, 'RATE_LIMIT_EXCEEDED', { 'Retry-After': wait }))
    await expect(fairlead.listContacts()).rejects.toBeInstanceOf(RateLimitExceededError)
    expect(proxy.seen).toHaveLength(1)
  }
})

test('what does not get better is thrown after five attempts', async () => {
  const { fairlead } = await behindProxy()
  proxy.plan(...Array<Fault>(9).fill(BUSY))
  const error = await fairlead.listTags().catch((thrown) => thrown)
  expect(error).toBeInstanceOf(ServiceUnavailableError)
  expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503, attempts: 5, requestId: expect.anything() })
  proxy.plan(...Array<Fault>(9).fill('cut before it arrives'))
  const cut = await fairlead.listTags().catch((thrown) => thrown)
  expect(cut).toBeInstanceOf(ConnectionError)
  expect(cut.cause).toBeDefined()
  expect(proxy.seen).toHaveLength(5)
})

test('silence is given up after the time that was set, and tried again', async () => {
  const { fairlead } = await behindProxy({ timeoutMs: 300 })
  proxy.plan('silence')
  expect((await fairlead.listTags()).http.attempts).toBe(2)
  proxy.plan(...Array<Fault>(9).fill('silence'))
  await expect(fairlead.listTags()).rejects.toBeInstanceOf(TimeoutError)
})

test('a caller who leaves ends the call and its pauses', async () => {
  const { fairlead } = await behindProxy()
  const leave = new AbortController()
  proxy.plan(refusal(503, 'SERVICE_UNAVAILABLE', { 'Retry-After': '50' }))
  const call = fairlead.listTags({}, { signal: leave.signal })
  setTimeout(() => leave.abort(new Error('left')), 100)
  await expect(call).rejects.toThrow('left')
  await expect(fairlead.listTags({}, { signal: leave.signal })).rejects.toThrow('left')
  expect(proxy.seen).toHaveLength(1)
})

test('each code is an error of its own, with what the server says of it', async () => {
  const { fairlead } = await behindProxy()
  proxy.plan()
  const { data } = await fairlead.createContact({ name: 'Ana', email: 'ana@example.com' })
  const twice = await fairlead.createContact({ name: 'B', email: 'ANA@example.com' }).catch((thrown) => thrown)
  expect(twice).toBeInstanceOf(DuplicateError)
  expect(twice).toBeInstanceOf(FairleadError)
  expect(twice.details).toEqual([{ field: 'email', message: expect.any(String), existing_id: data.id }])
  expect(twice).toMatchObject({ name: 'DuplicateError', code: 'DUPLICATE_ERROR', status: 409, attempts: 1 })
  await expect(fairlead.getContact('none')).rejects.toBeInstanceOf(NotFoundError)
  await expect(fairlead.createContact({ name: '' })).rejects.toBeInstanceOf(ValidationError)
  const odd = { name: 'C', colour: 'red' }
  expect((await fairlead.createContact(odd)).warnings).toHaveLength(1)
  await expect(fairlead.createContact(odd, { strict: true })).rejects.toThrow(/colour/)
  const { fairlead: reader } = await behindProxy({ permissions: ['tags:read'] })
  const refused = await reader.listContacts().catch((thrown) => thrown)
  expect(refused).toBeInstanceOf(InsufficientPermissionsError)
  expect(refused.requiredPermission).toBe('contacts:read')
})

test('an answer that is no JSON, or has a code that this client does not know, is an error all the same', async () => {
  const { fairlead } = await behindProxy()
  proxy.plan({ status: 200, body: '<h1>Welcome to the hotel</h1>' })
  await expect(fairlead.listTags()).rejects.toMatchObject({ code: 'HTTP_200', name: 'FairleadError' })
  proxy.plan(refusal(418, 'TEAPOT'))
  await expect(fairlead.listTags()).rejects.toMatchObject({ code: 'TEAPOT', status: 418, message: 'Not now.' })
})
