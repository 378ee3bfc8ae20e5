import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { Keys, RateLimit } from '../../src/domains/accounts/index.js'
import { LocalCounter } from '../../src/integrations/rate-limits/index.js'
import { makeCredential } from '../../src/shared/credential.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { type Answer, createClient } from '../support/client.js'
import { makeContact, makeKey, makeTenant } from '../support/factories.js'

const NOBODY = '0190163d-8694-739b-aea5-966c26f8ad91'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

/** Another process on the same database. */
const startAnother = () => startTestApp({ databaseUrl: service.databaseUrl })

function expectError(answer: Answer, status: number, code: string, more: Record<string, unknown> = {}): void {
  expect(answer.body).toEqual({
    success: false,
    error: { code, message: expect.stringMatching(/\w/), request_id: answer.headers.get('x-request-id'), ...more },
  })
  expect(answer.status).toBe(status)
}

describe('sending a key', () => {
  interface Sent {
    /** The X-API-Key header. */
    header?: string
    authorization?: string
    query?: string
  }

  /** The name of the key that the service saw, or the code of its refusal. */
  async function seen({ header, authorization, query }: Sent): Promise<string> {
    const { status, body } = await createClient(service.origin).get(query === undefined ? '/' : `/?api_key=${query}`, {
      ...(header !== undefined && { 'X-API-Key': header }),
      ...(authorization !== undefined && { Authorization: authorization }),
    })
    expect(status).toBe(body.success ? 200 : 401)
    return body.success ? body.data.key.id : body.error.code
  }

  async function makeThree() {
    const { accountId } = await makeTenant(service)
    const [a, b, c] = await Promise.all([1, 2, 3].map(() => makeKey(service.database, accountId)))
    return { a: a!, b: b!, c: c! }
  }

  test('there are three ways to send it', async () => {
    const { a } = await makeThree()
    expect(await seen({ header: a.secret })).toBe(a.key.id)
    expect(await seen({ authorization: `Bearer ${a.secret}` })).toBe(a.key.id)
    expect(await seen({ query: a.secret })).toBe(a.key.id)
  })

  test('spelling that means the same is the same', async () => {
    const { a } = await makeThree()
    for (const authorization of [`bearer ${a.secret}`, `BEARER   ${a.secret}`, `Bearer ${a.secret}  `]) {
      expect(await seen({ authorization })).toBe(a.key.id)
    }
    expect(await seen({ header: ` ${a.secret} ` })).toBe(a.key.id)
    expect(await seen({ query: a.secret.replaceAll('_', '%5F') })).toBe(a.key.id)
  })

  test('the header goes before the Bearer token and that before the query', async () => {
    const { a, b, c } = await makeThree()
    const bearer = `Bearer ${b.secret}`
    expect(await seen({ header: a.secret, authorization: bearer, query: c.secret })).toBe(a.key.id)
    expect(await seen({ header: a.secret, query: c.secret })).toBe(a.key.id)
    expect(await seen({ authorization: bearer, query: c.secret })).toBe(b.key.id)
  })

  test('the first that is present decides, even if only a later one is good', async () => {
    const { b, c } = await makeThree()
    expect(await seen({ header: 'wrong', authorization: `Bearer ${b.secret}` })).toBe('INVALID_API_KEY')
    expect(await seen({ authorization: 'Bearer wrong', query: c.secret })).toBe('INVALID_API_KEY')
  })

  test('an empty one counts as absent, and so does an Authorization of another kind', async () => {
    const { b, c } = await makeThree()
    expect(await seen({ header: '', authorization: `Bearer ${b.secret}`, query: c.secret })).toBe(b.key.id)
    expect(await seen({ header: '  ', authorization: 'Bearer', query: c.secret })).toBe(c.key.id)
    expect(await seen({ authorization: 'Bearer  ', query: c.secret })).toBe(c.key.id)
    expect(await seen({ authorization: 'Basic YTpi', query: c.secret })).toBe(c.key.id)
    expect(await seen({ header: '', authorization: 'Bearer ', query: '' })).toBe('MISSING_API_KEY')
    expect(await seen({})).toBe('MISSING_API_KEY')
  })

  test('no key is 401 MISSING_API_KEY', async () => {
    for (const path of ['/', '/contacts', `/contacts/${NOBODY}`, '/tags']) {
      expectError(await createClient(service.origin).get(path), 401, 'MISSING_API_KEY')
    }
  })

  test('a key that is malformed or unknown is 401 INVALID_API_KEY', async () => {
    const { key } = await makeTenant(service)
    const malformed = [
      'x',
      'fl_live_',
      key.slice(0, -1),
      `${key}x`,
      key.toUpperCase(),
      `${key},${key}`,
      'x'.repeat(5000),
    ]
    for (const wrong of [...malformed, makeCredential('fl_live_'), makeCredential('fl_agency_')]) {
      expectError(await createClient(service.origin, wrong).get('/contacts'), 401, 'INVALID_API_KEY')
    }
  })
})

describe('revocation', () => {
  test('counts at once in the process that revokes', async () => {
    const { client, keyId } = await makeTenant(service)
    expect((await client.get('/contacts')).status).toBe(200)
    await new Keys(service.database).revoke(keyId)
    service.app.authenticator.forget(keyId)
    expectError(await client.get('/contacts'), 401, 'INVALID_API_KEY')
  })

  test('counts within a second in another process, however busy the key is', async () => {
    const another = await startAnother()
    try {
      const { key, keyId } = await makeTenant(service)
      const client = createClient(another.origin, key)
      expect((await client.get('/')).status).toBe(200)
      await new Keys(service.database).revoke(keyId)
      for (const end = Date.now() + 1000; Date.now() < end; await delay(20)) await client.get('/')
      expectError(await client.get('/'), 401, 'INVALID_API_KEY')
    } finally {
      await another.stop()
    }
  })

  test('leaves the other keys of the account alone', async () => {
    const { accountId, client, keyId } = await makeTenant(service)
    const { secret } = await makeKey(service.database, accountId)
    await new Keys(service.database).revoke(keyId)
    service.app.authenticator.forget(keyId)
    expect((await client.get('/')).status).toBe(401)
    expect((await createClient(service.origin, secret).get('/')).status).toBe(200)
  })
})

describe('permissions', () => {
  const CALLS = {
    'contacts:read': [
      ['GET', '/contacts'],
      ['GET', `/contacts/${NOBODY}`],
      ['HEAD', '/contacts'],
    ],
    'contacts:write': [
      ['POST', '/contacts'],
      ['PUT', `/contacts/${NOBODY}`],
    ],
    'contacts:delete': [['DELETE', `/contacts/${NOBODY}`]],
    'tags:read': [['GET', '/tags']],
  } as const
  const needed = Object.keys(CALLS) as (keyof typeof CALLS)[]

  test.each([
    ['contacts:read', ['contacts:read']],
    ['contacts:write', ['contacts:write']],
    ['contacts:delete', ['contacts:delete']],
    ['tags:read', ['tags:read']],
    ['tags:write', []],
    ['contacts:read,tags:read', ['contacts:read', 'tags:read']],
    ['contacts:*', ['contacts:read', 'contacts:write', 'contacts:delete']],
    ['tags:*', ['tags:read']],
    ['opportunities:*', []],
    ['conversations:write', []],
    ['*', needed],
  ])('a key with %s may do what %j stands for and nothing else', async (permissions, may) => {
    const { client } = await makeTenant(service, { permissions: permissions.split(',') })
    for (const permission of needed) {
      for (const [method, path] of CALLS[permission]) {
        const answer = await client.call(method, path)
        if (may.includes(permission)) expect(answer.status).not.toBe(403)
        else if (method === 'HEAD') expect(answer.status).toBe(403)
        else expectError(answer, 403, 'INSUFFICIENT_PERMISSIONS', { required_permission: permission })
      }
    }
  })

  test('any key may ask whom it stands for, and hears it', async () => {
    const permissions = ['agents:run', 'tags:*']
    const { accountId, client, keyId } = await makeTenant(service, { permissions, rateLimit: 77 })
    const { status, body } = await client.get('/')
    expect(status).toBe(200)
    expect(body).toEqual({
      success: true,
      message: expect.stringMatching(/\w/),
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      documentation: expect.stringMatching(/\w/),
      data: {
        account: { id: accountId, name: expect.stringMatching(/^Account \d+$/) },
        key: { id: keyId, name: expect.stringMatching(/^Key \d+$/), permissions },
        rate_limit: { limit: 77, remaining: 76, reset: expect.any(Number) },
      },
    })
  })

  test('a key sees only its own account', async () => {
    const [mine, other] = [await makeTenant(service), await makeTenant(service)]
    const contact = await makeContact(service.database, other.accountId, { email: 'ana@example.com' })
    expect((await mine.client.get('/contacts')).body.data).toEqual([])
    expectError(await mine.client.get(`/contacts/${contact.id}`), 404, 'NOT_FOUND')
    expect((await mine.client.post('/contacts', { name: 'Ana', email: 'ana@example.com' })).status).toBe(201)
    expect((await other.client.get('/contacts')).body.pagination.total).toBe(1)
  })
})

describe('rate limit', () => {
  const allowance = ({ headers }: Answer) => ({
    limit: Number(headers.get('x-ratelimit-limit') ?? Number.NaN),
    remaining: Number(headers.get('x-ratelimit-remaining') ?? Number.NaN),
    reset: Number(headers.get('x-ratelimit-reset') ?? Number.NaN),
  })

  test('exactly as many requests pass as are allowed, also when all arrive together', async () => {
    const { client } = await makeTenant(service, { rateLimit: 10 })
    const begin = Date.now()
    const answers = await Promise.all(Array.from({ length: 40 }, () => client.get('/contacts')))
    const [passed, refused] = [200, 429].map((status) => answers.filter((answer) => answer.status === status))
    expect([passed!.length, refused!.length]).toEqual([10, 30])

    const remaining = passed!.map((answer) => allowance(answer).remaining).toSorted((a, b) => a - b)
    expect(remaining).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    for (const answer of answers) {
      const { limit, reset } = allowance(answer)
      expect([limit, Number.isInteger(reset)]).toEqual([10, true])
      expect(Math.abs(reset - begin / 1000 - 3600)).toBeLessThan(30)
    }
    for (const answer of refused!) {
      expect(allowance(answer).remaining).toBe(0)
      const seconds = Number(answer.headers.get('retry-after'))
      expect(seconds).toBeGreaterThan(3570)
      expect(seconds).toBeLessThanOrEqual(3600)
      expectError(answer, 429, 'RATE_LIMIT_EXCEEDED', { retry_after: seconds })
    }
  })

  test('every answer to a good key tells what is left, and GET / says the same in its body', async () => {
    const { accountId } = await makeTenant(service)
    const { secret } = await makeKey(service.database, accountId, { permissions: ['contacts:*'], rateLimit: 8 })
    const client = createClient(service.origin, secret)
    const calls: [status: number, call: () => Promise<Answer>][] = [
      [200, () => client.get('/contacts')],
      [201, () => client.post('/contacts', { name: 'Ana' })],
      [400, () => client.post('/contacts', '{')],
      [415, () => client.post('/contacts', 'x', { 'Content-Type': 'text/plain' })],
      [403, () => client.get('/tags')],
      [404, () => client.get(`/contacts/${NOBODY}`)],
      [200, () => client.call('HEAD', '/contacts')],
      [200, () => client.get('/')],
      [429, () => client.get('/')],
      [429, () => client.get('/tags')],
    ]
    const resets = new Set<number>()
    for (const [i, [status, call]] of calls.entries()) {
      const answer = await call()
      const { limit, remaining, reset } = allowance(answer)
      expect([answer.status, limit, remaining]).toEqual([status, 8, Math.max(7 - i, 0)])
      if (i === 7) expect(answer.body.data.rate_limit).toEqual({ limit, remaining, reset })
      resets.add(reset)
    }
    expect(resets.size).toBe(1)
  })

  test('what is no request to a known route does not count', async () => {
    const { client } = await makeTenant(service, { rateLimit: 5 })
    await client.get('/nowhere')
    await client.call('DELETE', '/contacts')
    await client.call('OPTIONS', '/contacts')
    expect(allowance(await client.get('/contacts')).remaining).toBe(4)
  })

  test('each key has its own allowance', async () => {
    const { accountId, client } = await makeTenant(service, { rateLimit: 1 })
    const { secret } = await makeKey(service.database, accountId, { rateLimit: 1 })
    expect((await client.get('/')).status).toBe(200)
    expect((await client.get('/')).status).toBe(429)
    expect((await createClient(service.origin, secret).get('/')).status).toBe(200)
  })

  test('the window is fixed: it opens with the first request, is not moved by others and closes after an hour', async () => {
    const { jest } = await import('@jest/globals')
    jest.useFakeTimers({ now: Date.parse('2026-01-31T10:00:00Z') })
    try {
      const limit = new RateLimit(new LocalCounter())
      const caller = { countedAs: 'key', rateLimit: 2, viewer: { actor: { kind: 'api_key' } } } as const
      const passes = async () => !(await limit.count(caller)).exceeded
      expect([await passes(), await passes(), await passes()]).toEqual([true, true, false])
      for (let minutes = 0; minutes < 59; minutes++) {
        jest.advanceTimersByTime(60_000)
        expect(await passes()).toBe(false)
      }
      jest.advanceTimersByTime(59_000)
      const { state, exceeded } = await limit.count(caller)
      expect(state.reset).toBe(Date.parse('2026-01-31T11:00:00Z') / 1000)
      expect(exceeded?.extra).toEqual({ retryAfter: 1 })
      jest.advanceTimersByTime(1001)
      expect([await passes(), await passes(), await passes()]).toEqual([true, true, false])
    } finally {
      jest.useRealTimers()
    }
  })
})

describe('bookkeeping', () => {
  test('the last use of a key is recorded, but not with a write for each request', async () => {
    const another = await startAnother()
    const { key, keyId } = await makeTenant(service)
    const begin = Date.now()
    const { statements } = await another.statementsOf(async () => {
      for (let i = 0; i < 20; i++) expect((await createClient(another.origin, key).get('/contacts')).status).toBe(200)
    })
    await another.stop()
    expect(statements.length).toBeGreaterThanOrEqual(20)
    expect(statements.filter((text) => /\b(insert into|update|delete from)\b/i.test(text))).toEqual([])
    const { rows } = await service.database.pool.query('select last_used_at from api_key where id = $1', [keyId])
    const lastUsed = Date.parse(rows[0].last_used_at)
    expect(lastUsed).toBeGreaterThanOrEqual(begin)
    expect(lastUsed).toBeLessThanOrEqual(Date.now())
  })

  test('many requests at once with one key look it up once', async () => {
    const { client } = await makeTenant(service)
    const begin = performance.now()
    const { lookUps } = await service.statementsOf(() =>
      Promise.all(Array.from({ length: 30 }, () => client.get('/contacts'))),
    )
    expect(lookUps.length).toBeGreaterThan(0)
    // What is known of a key is believed for 0.8 seconds; a slow machine may take longer than that.
    expect(lookUps.length).toBeLessThanOrEqual(1 + (performance.now() - begin) / 800)
  })

  test('of a key only its hash and its beginning are stored', async () => {
    const { key, keyId } = await makeTenant(service)
    const { rows } = await service.database.pool.query('select k.*, k::text as whole from api_key k where id = $1', [
      keyId,
    ])
    const { hash, prefix, whole } = rows[0]
    expect(hash.toString('hex')).toBe(createHash('sha256').update(key).digest('hex'))
    expect(prefix).toBe(key.slice(0, 14))
    expect(whole).toContain(prefix)
    expect(whole).not.toContain(key.slice(14))
  })

  test('a key is never logged, however it was sent and whatever came of it', async () => {
    const { key } = await makeTenant(service)
    const other = makeCredential('fl_live_')
    const hidden = [key, other].map((secret) => secret.slice(14))
    const encoded = (text: string) => text.replace(/./g, (c) => `%${c.charCodeAt(0).toString(16)}`)
    const nobody = createClient(service.origin)
    const paths = [key, other].flatMap((secret) => [
      `/contacts?api_key=${secret}`,
      `/contacts?page=x&api_key=${secret}&limit=1`,
      `/contacts?api_key=${encoded(secret)}`,
      `/contacts?${encoded('api_key')}=${encoded(secret)}`,
      `/contacts?api_key%3D${secret}`,
      `/contacts?x=${encoded(`?api_key=${encoded(secret)}`)}`,
      `/contacts?search=not${secret}either`,
      `/contacts?search=${secret}`,
      `/contacts/${secret}`,
      `/${secret}?api_key=${secret}`,
    ])
    const ids = paths.map((_, i) => `log-test-${i}`)
    for (const [i, path] of paths.entries()) await nobody.get(path, { 'X-Request-Id': ids[i]! })
    for (const secret of [key, other]) {
      await createClient(service.origin, secret).post('/contacts', { name: secret })
      await nobody.get('/contacts', { Authorization: `Bearer ${secret}` })
      await fetch(`${service.origin}/nowhere?api_key=${secret}`, {
        headers: { Referer: `https://app.example/?${secret}` },
      })
    }
    const logged = () => service.logs().map(({ requestId }) => requestId)
    // A line is written when the answer has left, which may be after it has arrived.
    for (let i = 0; i < 100 && !ids.every((id) => logged().includes(id)); i++) await delay(20)
    expect(logged()).toEqual(expect.arrayContaining(ids))
    const text = JSON.stringify(service.logs())
    for (const secret of hidden) {
      expect(text).not.toContain(secret)
      expect(text.toLowerCase()).not.toContain(encoded(secret))
      expect(text.toLowerCase()).not.toContain(encoded(encoded(secret)))
    }
  })
})
