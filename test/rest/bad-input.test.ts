import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { startTestApp, type TestApp } from '../support/app.js'
import { type Answer, createClient } from '../support/client.js'
import { makeContact, makeKey, makeTag, makeTenant } from '../support/factories.js'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const NOBODY = '0190163d-8694-739b-aea5-966c26f8ad91'
const MIB = 1_048_576
const STRICT = { Prefer: 'handling=strict' }

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

interface Expected {
  /** The fields that `details` names, in any order. */
  details?: string[]
  /** The fields that `warnings` names. */
  warnings?: string[]
  /** Further members of `error`. */
  more?: Record<string, unknown>
}

const named = (fields: string[]) => fields.toSorted().map((field) => ({ field, message: expect.any(String) }))
const byField = (found: { field: string }[]) => found.toSorted((a, b) => (a.field < b.field ? -1 : 1))
const sorted = <T>(found: T): T => (Array.isArray(found) ? (byField(found) as T) : found)

/** The whole error body, with nothing in it that was not expected. */
function expectError(answer: Answer, status: number, code: string, { details, warnings, more }: Expected = {}): void {
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
  const { error, ...rest } = answer.body
  expect({ ...rest, error: { ...error, details: sorted(error.details) }, warnings: sorted(rest.warnings) }).toEqual({
    success: false,
    error: {
      code,
      message: expect.stringMatching(/\w/),
      details: details && named(details),
      request_id: answer.headers.get('x-request-id'),
      ...more,
    },
    warnings: warnings && named(warnings),
  })
  expect(answer.status).toBe(status)
}

function expectWarnings(answer: Answer, fields: string[]): void {
  expect(answer.status).toBeLessThan(300)
  expect(byField(answer.body.warnings)).toEqual(named(fields))
}

/** Sends bytes as they are; without a content type none is sent. */
async function sendBytes(
  key: string,
  body: Buffer | ReadableStream,
  headers: Record<string, string> = { 'Content-Type': 'application/json' },
): Promise<Answer> {
  const response = await fetch(`${service.base}/contacts`, {
    method: 'POST',
    headers: { 'X-API-Key': key, ...headers },
    body,
    duplex: 'half',
  } as RequestInit)
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) }
}

/** Writes to a socket and reads what comes until the service closes it. */
function sendRaw(text: string | Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(service.app.port, '127.0.0.1', () => socket.write(text))
    socket.setTimeout(20_000, () => socket.destroy(new Error('no answer')))
    socket.on('error', reject)
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('close', () => {
      const [head, ...rest] = Buffer.concat(chunks).toString().split('\r\n\r\n')
      const [statusLine, ...lines] = head!.split('\r\n')
      const headers = new Headers(lines.map((line) => line.split(/:\s*/, 2) as [string, string]))
      const body = rest.join('\r\n\r\n')
      resolve({ status: Number(statusLine!.split(' ')[1]), headers, text: body, body: body && JSON.parse(body) })
    })
  })
}

async function countContacts(accountId: string): Promise<number> {
  const { rows } = await service.database.pool.query('select 1 from contact where account_id = $1', [accountId])
  return rows.length
}

describe('status and shape', () => {
  test('reading answers 200 and creating 201', async () => {
    const { client } = await makeTenant(service)
    const created = await client.post('/contacts', { name: 'Ana' })
    expect([created.status, created.body.success]).toEqual([201, true])
    for (const path of ['/', '/contacts', `/contacts/${created.body.data.id}`, '/tags']) {
      const { status, body } = await client.get(path)
      expect([path, status, body.success]).toEqual([path, 200, true])
    }
  })

  test('a record gets a uuid of version 7, and a later record a greater one', async () => {
    const { client } = await makeTenant(service)
    const first = await client.post('/contacts', { name: 'Ana' })
    const second = await client.post('/contacts', { name: 'Bia' })
    expect(first.body.data.id).toMatch(UUID_V7)
    expect(second.body.data.id > first.body.data.id).toBe(true)
  })

  test('a crash answers 500 without a word of what happened inside, which goes to the log under the same id', async () => {
    const broken = await startTestApp()
    try {
      const { client } = await makeTenant(broken)
      await broken.database.pool.query('alter table tag rename to cupboard')
      const answer = await client.get('/tags')
      expectError(answer, 500, 'INTERNAL_ERROR')
      expect(answer.text).not.toMatch(/relation|select|cupboard|\.ts|\.js|at /i)
      const logged = broken.logs().filter((line) => line.requestId === answer.headers.get('x-request-id') && line.err)
      expect(JSON.stringify(logged)).toContain('does not exist')
    } finally {
      await broken.stop()
    }
  })
})

describe('request id', () => {
  const PLACES: [method: string, path: string, status: number][] = [
    ['GET', '/external/v1/contacts', 200],
    ['GET', `/external/v1/contacts/${NOBODY}`, 404],
    ['GET', '/external/v1/nowhere', 404],
    ['GET', '/nowhere', 404],
    ['DELETE', '/external/v1/contacts', 405],
    ['POST', '/external/v1/contacts', 400],
    ['OPTIONS', '/external/v1/contacts', 204],
    ['GET', '/healthz', 200],
    ['GET', '/readyz', 200],
  ]

  test.each(PLACES)('%s %s carries the id that it was given', async (method, path, status) => {
    const { key } = await makeTenant(service)
    for (const id of ['a', 'Trace_7.b-9', 'x'.repeat(128)]) {
      const response = await fetch(service.origin + path, { method, headers: { 'X-API-Key': key, 'X-Request-Id': id } })
      expect([response.status, response.headers.get('x-request-id')]).toEqual([status, id])
    }
  })

  test.each(PLACES)('%s %s gets a new id where there was none', async (method, path, status) => {
    const { key } = await makeTenant(service)
    const ids = new Set<string>()
    for (let i = 0; i < 3; i++) {
      const response = await fetch(service.origin + path, { method, headers: { 'X-API-Key': key } })
      expect([response.status, response.headers.get('x-request-id')]).toEqual([status, expect.stringMatching(UUID)])
      ids.add(response.headers.get('x-request-id')!)
    }
    expect(ids.size).toBe(3)
  })

  test.each(['', 'a b', 'a/b', 'a"b', 'a,b', '{{id}}', 'é', 'x'.repeat(129)])(
    'the id %j is replaced by a new one',
    async (id) => {
      const answer = await createClient(service.origin).get('/contacts', { 'X-Request-Id': id })
      expect(answer.headers.get('x-request-id')).toMatch(UUID)
      expectError(answer, 401, 'MISSING_API_KEY')
    },
  )
})

describe('route and method', () => {
  test.each([
    '/nowhere',
    '/contacts/x/y/z',
    '/Contacts',
    '/contacts//',
    '//contacts',
    '/contacts/%zz',
    '/contacts/%c0%af',
    '/%',
    '/%00',
  ])('%s is 404 as JSON', async (path) => {
    const { client } = await makeTenant(service)
    expectError(await client.get(path), 404, 'NOT_FOUND')
  })

  test.each(['/nowhere', '/external', '/external/v2/contacts', '/%zz', '/%00', '/index.php?x=%zz', '/external/v1x'])(
    '%s outside of the API is 404 as JSON too',
    async (path) => {
      const { key } = await makeTenant(service)
      const response = await fetch(service.origin + path, { headers: { 'X-API-Key': key, Accept: 'text/html' } })
      const text = await response.text()
      expectError(
        { ...response, status: response.status, headers: response.headers, text, body: JSON.parse(text) },
        404,
        'NOT_FOUND',
      )
    },
  )

  test.each([
    ['DELETE', '/contacts', ['GET', 'HEAD', 'POST', 'OPTIONS']],
    ['TRACE', '/contacts', ['GET', 'HEAD', 'POST', 'OPTIONS']],
    ['POST', `/contacts/${NOBODY}`, ['GET', 'HEAD', 'OPTIONS']],
    ['PUT', '/tags', ['GET', 'HEAD', 'OPTIONS']],
    ['POST', '/', ['GET', 'HEAD', 'OPTIONS']],
  ])('%s %s is 405 and Allow says what is possible', async (method, path, possible) => {
    const answer = await sendRaw(`${method} /external/v1${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    expectError(answer, 405, 'METHOD_NOT_ALLOWED')
    const allowed = answer.headers.get('allow')!.split(', ')
    expect(allowed).toEqual(expect.arrayContaining(possible))
    expect(allowed).not.toContain(method)
  })

  test('HEAD answers like GET, without the body', async () => {
    const { accountId, client } = await makeTenant(service)
    const { id } = await makeContact(service.database, accountId)
    for (const path of ['/', '/contacts', `/contacts/${id}`, '/tags', `/contacts/${NOBODY}`]) {
      const get = await client.get(path)
      const head = await client.call('HEAD', path)
      expect([path, head.status, head.text]).toEqual([path, get.status, ''])
      expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'))
      expect(Number(head.headers.get('content-length'))).toBeGreaterThan(0)
    }
  })

  test.each(['/contacts', `/contacts/${NOBODY}`, '/tags', '/'])('OPTIONS %s needs no key', async (path) => {
    const answer = await createClient(service.origin).call('OPTIONS', path)
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect(answer.headers.get('allow')!.split(', ')).toEqual(expect.arrayContaining(['GET', 'HEAD', 'OPTIONS']))
  })

  test.each(['/external/v1/contacts', '/graphql'])('a browser may call %s from any page', async (path) => {
    const preflight = await fetch(service.origin + path, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://app.example.com',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'content-type,x-api-key,idempotency-key',
      },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
    expect(preflight.headers.get('access-control-allow-methods')!.split(',')).toContain('POST')
    const allowed = preflight.headers.get('access-control-allow-headers')!.split(',')
    expect(allowed).toEqual(expect.arrayContaining(['content-type', 'x-api-key', 'idempotency-key']))
  })

  test('a page may read the headers that tell of the request and the allowance', async () => {
    const { client } = await makeTenant(service)
    const { headers } = await client.get('/contacts', { Origin: 'https://app.example.com' })
    expect(headers.get('access-control-allow-origin')).toBe('*')
    const exposed = headers.get('access-control-expose-headers')!.toLowerCase().split(',')
    const wanted = ['x-request-id', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'retry-after']
    expect(exposed).toEqual(expect.arrayContaining(wanted))
  })

  test('one slash at the end makes no difference', async () => {
    const { accountId, client } = await makeTenant(service)
    const { id } = await makeContact(service.database, accountId)
    for (const path of ['/contacts', `/contacts/${id}`, '/tags', '/contacts?limit=1']) {
      const [without, withSlash] = [await client.get(path), await client.get(path.replace(/(?=\?|$)/, '/'))]
      expect(withSlash.status).toBe(200)
      expect(withSlash.body).toEqual(without.body)
    }
    expect((await client.post('/contacts/', { name: 'Ana' })).status).toBe(201)
    expect((await client.get('')).body.data.account.id).toBe(accountId)
  })
})

describe('body', () => {
  test.each([
    '{',
    '{"name": "Ana"',
    '{"name": "Ana",}',
    "{'name': 'Ana'}",
    'name=Ana',
    ' ',
    '{"name": "A\nb"}',
    '{"a": NaN}',
  ])('the malformed JSON %j is 400', async (body) => {
    const { accountId, client } = await makeTenant(service)
    expectError(await client.post('/contacts', body), 400, 'VALIDATION_ERROR')
    expect(await countContacts(accountId)).toBe(0)
  })

  test.each(['null', '[]', '[{"name": "Ana"}]', '"Ana"', '5', 'true'])(
    'the JSON %s, which is no object, is 400',
    async (body) => {
      const { client } = await makeTenant(service)
      expectError(await client.post('/contacts', body), 400, 'VALIDATION_ERROR')
    },
  )

  test('bytes that are not UTF-8 are 400', async () => {
    const { accountId, key } = await makeTenant(service)
    for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0xaf]]) {
      const body = Buffer.concat([Buffer.from('{"name": "'), Buffer.from(bytes), Buffer.from('"}')])
      expectError(await sendBytes(key, body), 400, 'VALIDATION_ERROR')
    }
    expect(await countContacts(accountId)).toBe(0)
  })

  test('no body at all is the same as an empty object', async () => {
    const { client } = await makeTenant(service)
    for (const options of [{}, { body: {} }, { headers: { 'Content-Type': 'text/plain' } }]) {
      expectError(await client.call('POST', '/contacts', options), 400, 'VALIDATION_ERROR', { details: ['name'] })
    }
  })

  test.each([
    'application/json',
    'APPLICATION/JSON',
    'application/json;charset=utf-8',
    'application/json; charset="UTF-8"',
    'application/vnd.api+json',
  ])('the content type %s is JSON', async (type) => {
    const { key } = await makeTenant(service)
    expect((await sendBytes(key, Buffer.from('{"name": "Ana"}'), { 'Content-Type': type })).status).toBe(201)
  })

  test.each([
    {},
    { 'Content-Type': 'text/plain' },
    { 'Content-Type': 'text/json' },
    { 'Content-Type': 'application/x-www-form-urlencoded' },
    { 'Content-Type': 'application/jsonx' },
    { 'Content-Type': 'application/json; charset=utf-16' },
    { 'Content-Type': 'application/json', 'Content-Encoding': 'zip' },
  ])('a body sent with %j is 415', async (headers) => {
    const { accountId, key } = await makeTenant(service)
    const answer = await sendBytes(key, Buffer.from('{"name": "Ana"}'), headers as Record<string, string>)
    expectError(answer, 415, 'UNSUPPORTED_MEDIA_TYPE')
    expect(await countContacts(accountId)).toBe(0)
  })

  test('a GET does not look at the content type', async () => {
    const { client } = await makeTenant(service)
    expect((await client.get('/contacts', { 'Content-Type': 'text/csv' })).status).toBe(200)
  })

  const padded = (bytes: number) => {
    const frame = '{"name":"Ana","pad":""}'
    return Buffer.from(frame.replace('""}', `"${'x'.repeat(bytes - frame.length)}"}`))
  }
  const stream = (bytes: Buffer) => new Blob([new Uint8Array(bytes)]).stream()

  test('a body of 1 MiB is read, and one byte more is 413', async () => {
    const { key } = await makeTenant(service)
    expectWarnings(await sendBytes(key, padded(MIB)), ['pad'])
    expectError(await sendBytes(key, padded(MIB + 1)), 413, 'PAYLOAD_TOO_LARGE')
  })

  test('nor may a body of unannounced length be larger', async () => {
    const { key } = await makeTenant(service)
    expectWarnings(await sendBytes(key, stream(padded(MIB))), ['pad'])
    expectError(await sendBytes(key, stream(padded(MIB + 1))), 413, 'PAYLOAD_TOO_LARGE')
    expectError(await sendBytes(key, stream(padded(6 * MIB))), 413, 'PAYLOAD_TOO_LARGE')
  })

  test('a compressed body counts by what it inflates to', async () => {
    const { key } = await makeTenant(service)
    const gzip = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' }
    expectWarnings(await sendBytes(key, gzipSync(padded(MIB)), gzip), ['pad'])
    expectError(await sendBytes(key, gzipSync(padded(MIB + 1)), gzip), 413, 'PAYLOAD_TOO_LARGE')
    expectError(await sendBytes(key, gzipSync(padded(50 * MIB)), gzip), 413, 'PAYLOAD_TOO_LARGE')
    expectError(await sendBytes(key, padded(1000), gzip), 400, 'VALIDATION_ERROR')
    expectError(await sendBytes(key, gzipSync(padded(1000)).subarray(0, -9), gzip), 400, 'VALIDATION_ERROR')
  })

  test('who sends a large body that is refused unread still gets the answer', async () => {
    const { accountId } = await makeTenant(service)
    const { secret } = await makeKey(service.database, accountId, { permissions: ['tags:read'] })
    for (let i = 0; i < 10; i++) {
      expectError(await sendBytes('', padded(MIB)), 401, 'MISSING_API_KEY')
      expectError(await sendBytes(secret, padded(5 * MIB)), 403, 'INSUFFICIENT_PERMISSIONS', {
        more: { required_permission: 'contacts:write' },
      })
    }
  })
})

describe('several faults at once', () => {
  test('an unknown route counts before the missing key', async () => {
    expectError(await createClient(service.origin).post('/nowhere', '{'), 404, 'NOT_FOUND')
    expectError(await createClient(service.origin).call('DELETE', '/contacts'), 405, 'METHOD_NOT_ALLOWED')
  })

  test('the missing key counts before the body and the input', async () => {
    const nobody = createClient(service.origin)
    expectError(await nobody.post('/contacts', '{'), 401, 'MISSING_API_KEY')
    expectError(await nobody.get('/contacts?page=x'), 401, 'MISSING_API_KEY')
  })

  test('the missing permission counts before the body, which is not even parsed', async () => {
    const { client } = await makeTenant(service, { permissions: ['contacts:read'] })
    const more = { required_permission: 'contacts:write' }
    for (const body of ['{', '[]', '{"name": ""}']) {
      expectError(await client.post('/contacts', body), 403, 'INSUFFICIENT_PERMISSIONS', { more })
    }
    const plain = await client.post('/contacts', 'x', { 'Content-Type': 'text/plain' })
    expectError(plain, 403, 'INSUFFICIENT_PERMISSIONS', { more })
  })

  test('the used-up allowance counts before the permission', async () => {
    const { client } = await makeTenant(service, { permissions: ['tags:read'], rateLimit: 1 })
    expect((await client.get('/contacts')).status).toBe(403)
    const more = { retry_after: expect.any(Number) }
    expectError(await client.get('/contacts'), 429, 'RATE_LIMIT_EXCEEDED', { more })
  })

  test('wrong input counts before the conflict', async () => {
    const { accountId, client } = await makeTenant(service)
    await makeContact(service.database, accountId, { email: 'ana@example.com' })
    const wrong = await client.post('/contacts', { email: 'ana@example.com' })
    expectError(wrong, 400, 'VALIDATION_ERROR', { details: ['name'] })
    expect((await client.post('/contacts', { name: 'Ana', email: 'ANA@example.com' })).status).toBe(409)
  })

  test('wrong input counts before the missing record', async () => {
    const { client } = await makeTenant(service)
    const strict = await client.get(`/contacts/${NOBODY}?color=red`, STRICT)
    expectError(strict, 400, 'VALIDATION_ERROR', { details: ['color'] })
    const lenient = await client.get(`/contacts/${NOBODY}?color=red`)
    expectError(lenient, 404, 'NOT_FOUND', { warnings: ['color'] })
  })

  test('details name every wrong field, those of a wrong type and those that break a rule', async () => {
    const { accountId, client } = await makeTenant(service)
    const wrong = {
      name: 5,
      email: 'nobody',
      phone: 'x'.repeat(41),
      company: 'a\0b',
      title: ['Buyer'],
      location: 'x'.repeat(256),
      linkedin_profile_url: 'x'.repeat(2049),
      source: {},
      tags: ['hot'],
      custom_fields: { deep: ['\ud800'] },
    }
    const all = Object.keys(wrong)
    expectError(await client.post('/contacts', wrong), 400, 'VALIDATION_ERROR', { details: all })

    const { title, source, ...byRule } = { ...wrong, name: ' ' }
    const rules = all.filter((field) => field !== 'title' && field !== 'source')
    expectError(await client.post('/contacts', byRule), 400, 'VALIDATION_ERROR', { details: rules })
    expect(await countContacts(accountId)).toBe(0)
  })

  test('details name every wrong query parameter', async () => {
    const { client } = await makeTenant(service)
    const answer = await client.get('/contacts?page=x&limit=1.5&created_after=soon&search=%00&search=a&company=%07')
    const details = ['page', 'limit', 'created_after', 'search', 'company']
    expectError(answer, 400, 'VALIDATION_ERROR', { details })
  })

  test('a fault of a list item says which item', async () => {
    const { accountId, client } = await makeTenant(service)
    const tag = await makeTag(service.database, accountId)
    for (const bad of ['hot', 7, null, NOBODY]) {
      const answer = await client.post('/contacts', { name: 'Ana', tags: [tag.id, bad] })
      expectError(answer, 400, 'VALIDATION_ERROR', { details: ['tags'] })
      expect(answer.body.error.details[0].message).toContain('item 2')
    }
  })
})

describe('unknown names', () => {
  test('an unknown field of a body is warned of, and the rest is stored', async () => {
    const { client } = await makeTenant(service)
    const answer = await client.post(
      '/contacts',
      '{"name": "Ana", "nickname": "A", "companyName": 5, "__proto__": {}, "0": 1}',
    )
    expectWarnings(answer, ['nickname', 'companyName', '__proto__', '0'])
    expect(answer.body.data.name).toBe('Ana')
  })

  test('an unknown query parameter is warned of', async () => {
    const { accountId, client, key } = await makeTenant(service)
    await makeContact(service.database, accountId)
    const answer = await client.get(`/contacts?colour=red&Page=2&api_key=${key}&%zz=1&toString=1`)
    expectWarnings(answer, ['colour', 'Page', '%zz', 'toString'])
    expect(answer.body.data).toHaveLength(1)
  })

  test('warnings stand beside an error too', async () => {
    const { accountId, client } = await makeTenant(service)
    const warnings = ['nickname']
    expectError(await client.post('/contacts', { nickname: 'A' }), 400, 'VALIDATION_ERROR', {
      details: ['name'],
      warnings,
    })
    const { id } = await makeContact(service.database, accountId, { email: 'ana@example.com' })
    const { body } = await client.post('/contacts', { name: 'Ana', email: 'ana@example.com', nickname: 'A' })
    expect(body).toEqual({
      success: false,
      error: {
        code: 'DUPLICATE_ERROR',
        message: expect.any(String),
        details: [{ field: 'email', message: expect.any(String), existing_id: id }],
        request_id: expect.stringMatching(UUID),
      },
      warnings: named(warnings),
    })
  })

  test.each([
    'handling=strict',
    'respond-async, handling=strict',
    'handling="strict"',
    'return=minimal; handling=strict',
    'Handling=Strict',
  ])('with Prefer: %s they are refused and nothing is stored', async (prefer) => {
    const { accountId, client } = await makeTenant(service)
    const headers = { Prefer: prefer }
    const answer = await client.post('/contacts', { name: 'Ana', nickname: 'A', companyName: 'B' }, headers)
    expectError(answer, 400, 'VALIDATION_ERROR', { details: ['nickname', 'companyName'] })
    expect(answer.headers.get('preference-applied')).toBe('handling=strict')
    expect(answer.text).not.toContain('ignored')
    expect(await countContacts(accountId)).toBe(0)
    const list = await client.get('/contacts?colour=red&page=0&limit=101&sort_by=age', headers)
    expectError(list, 400, 'VALIDATION_ERROR', { details: ['colour', 'page', 'limit', 'sort_by'] })
  })

  test.each(['handling=lenient', 'return=minimal', 'xhandling=strict', 'handling=strictly'])(
    'with Prefer: %s they are warned of',
    async (prefer) => {
      const { client } = await makeTenant(service)
      expectWarnings(await client.post('/contacts', { name: 'Ana', nickname: 'A' }, { Prefer: prefer }), ['nickname'])
    },
  )

  test('strict handling names unknown names and broken rules together', async () => {
    const { client } = await makeTenant(service)
    const answer = await client.post('/contacts', { name: 'Ana', email: 'nobody', nickname: 'A', 0: 1 }, STRICT)
    expectError(answer, 400, 'VALIDATION_ERROR', { details: ['email', 'nickname', '0'] })
  })
})

describe('query parameters', () => {
  test.each([
    'page=1&page=2',
    'search=a&search=a',
    'sort_by=name&sort_by=',
    'created_after=2024-01-01&created_after=2024-01-02',
  ])('the repetition in ?%s is 400', async (query) => {
    const { client } = await makeTenant(service)
    const details = [query.split('=')[0]!]
    expectError(await client.get(`/contacts?${query}`), 400, 'VALIDATION_ERROR', { details })
  })

  test('tags may repeat, and any of them counts', async () => {
    const { accountId, client } = await makeTenant(service)
    const [hot, cold, other] = await Promise.all([1, 2, 3].map(() => makeTag(service.database, accountId)))
    await makeContact(service.database, accountId, { name: 'Ana', tags: [hot!] })
    await makeContact(service.database, accountId, { name: 'Bia', tags: [cold!] })
    await makeContact(service.database, accountId, { name: 'Cid', tags: [other!] })
    for (const query of [
      `tags=${hot!.id}&tags=${cold!.id}`,
      `tags=${hot!.id},%20${cold!.id}`,
      `tags=${hot!.id},x&tags=${cold!.id}`,
    ]) {
      const { body } = await client.get(`/contacts?sort_by=name&sort_order=asc&${query}`)
      expect(body.data.map(({ name }: { name: string }) => name)).toEqual(['Ana', 'Bia'])
    }
  })

  test('an empty value is the same as none', async () => {
    const { accountId, client } = await makeTenant(service)
    await makeContact(service.database, accountId)
    const names = [
      'search',
      'company',
      'email',
      'phone',
      'source',
      'tags',
      'created_after',
      'updated_before',
      'sort_by',
      'sort_order',
      'page',
      'limit',
    ]
    const without = await client.get('/contacts')
    for (const query of names.flatMap((name) => [`${name}=`, name, `${name}=%20+`])) {
      expect([query, (await client.get(`/contacts?${query}`)).body]).toEqual([query, without.body])
    }
    expect(without.body.data).toHaveLength(1)
  })

  test('an unknown sort counts as the default and is warned of', async () => {
    const { accountId, client } = await makeTenant(service)
    await makeContact(service.database, accountId, { name: 'Ana', createdAt: new Date('2024-01-02') })
    await makeContact(service.database, accountId, { name: 'Bia', createdAt: new Date('2024-01-03') })
    await makeContact(service.database, accountId, { name: 'Cid', createdAt: new Date('2024-01-01') })
    const sortedBy = async (query: string) => {
      const answer = await client.get(`/contacts?${query}`)
      return [answer.body.data.map(({ name }: { name: string }) => name).join(), answer]
    }
    const [names, answer] = await sortedBy('sort_by=age&sort_order=sideways')
    expect(names).toBe('Bia,Ana,Cid')
    expectWarnings(answer as Answer, ['sort_by', 'sort_order'])
    expect((await sortedBy('sort_by=age&sort_order=asc'))[0]).toBe('Cid,Ana,Bia')
    expect((await sortedBy('sort_by=name&sort_order=sideways'))[0]).toBe('Cid,Bia,Ana')
  })

  test('what is not percent-encoded UTF-8 is 400', async () => {
    const { client } = await makeTenant(service)
    for (const text of ['%zz', '%', '%c3', '%ff', '%ed%a0%80']) {
      const answer = await client.get(`/contacts?search=${text}`)
      expectError(answer, 400, 'VALIDATION_ERROR', { details: ['search'] })
    }
  })

  test('an id that is none is 404 in a path and matches nothing in a filter', async () => {
    const { accountId, client } = await makeTenant(service)
    await makeContact(service.database, accountId)
    for (const id of ['x', '1', NOBODY, `${NOBODY}0`, '%00', '%20', "'", '..%2f', '%F0%9F%98%80']) {
      expectError(await client.get(`/contacts/${id}`), 404, 'NOT_FOUND')
    }
    for (const id of ['x', NOBODY, '%00', "'"]) {
      const { status, body } = await client.get(`/contacts?tags=${id}`)
      expect([status, body.data, body.pagination.total]).toEqual([200, [], 0])
    }
  })
})

describe('absent, null and empty', () => {
  test.each(['{}', '{"name": null}', '{"name": ""}', '{"name": " \\t\\n\\u00a0 "}'])(
    '%s lacks a name',
    async (body) => {
      const { accountId, client } = await makeTenant(service)
      expectError(await client.post('/contacts', body), 400, 'VALIDATION_ERROR', { details: ['name'] })
      expect(await countContacts(accountId)).toBe(0)
    },
  )

  test.each([undefined, null, '', '  '])('an optional text that is %j is null', async (empty) => {
    const { client } = await makeTenant(service)
    const optional = ['email', 'phone', 'company', 'title', 'location', 'linkedin_profile_url']
    const { status, body } = await client.post('/contacts', {
      name: 'Ana',
      source: empty,
      ...Object.fromEntries(optional.map((field) => [field, empty])),
    })
    expect(status).toBe(201)
    expect(body.data).toMatchObject({ source: 'api', ...Object.fromEntries(optional.map((field) => [field, null])) })
  })

  test('absent and null are the same for lists and objects', async () => {
    const { client } = await makeTenant(service)
    for (const given of [{}, { tags: null, custom_fields: null }, { tags: [] }]) {
      const { body } = await client.post('/contacts', { name: 'Ana', ...given })
      expect(body.data).toMatchObject({ tags: [], custom_fields: null })
    }
  })

  test.each([
    ['name', [5, true, {}, ['Ana']]],
    ['email', [5, false, {}, []]],
    ['phone', [5511999990000]],
    ['tags', ['hot', {}, 5, { 0: NOBODY }, [[NOBODY]]]],
    ['custom_fields', ['{}', [], 5, true]],
  ])('%s of another type is 400', async (field, values) => {
    const { client } = await makeTenant(service)
    for (const value of values) {
      const answer = await client.post('/contacts', { name: 'Ana', [field]: value })
      expectError(answer, 400, 'VALIDATION_ERROR', { details: [field] })
    }
  })
})

describe('strings', () => {
  test('white space around a text goes, and CRLF becomes LF', async () => {
    const { client } = await makeTenant(service)
    const { body } = await client.post('/contacts', {
      name: ' \t Ana \r\n',
      company: 'One\r\nTwo\tThree\nFour',
      email: ' a@b.co ',
    })
    expect(body.data).toMatchObject({ name: 'Ana', company: 'One\nTwo\tThree\nFour', email: 'a@b.co' })
  })

  test.each([
    'emoji 👩‍👩‍👧‍👦 🇧🇷',
    'right to left שלום \u202eabc\u202c',
    'combining e\u0301 and composed \u00e9',
    'noncharacters \ufffe \u{10ffff}',
    'zero\u200bwidth\u2028separator',
    'ﬁ Ⅷ ß İ ı',
    `quotes ' " \\ \` $1 %s {{x}} <b>`,
    'percent % and _',
  ])('%s is kept as it was sent', async (text) => {
    const { client } = await makeTenant(service)
    const created = await client.post('/contacts', { name: text, company: text, custom_fields: { [text]: text } })
    expect(created.status).toBe(201)
    const read = await client.get(`/contacts/${created.body.data.id}`)
    for (const { data } of [created.body, read.body]) {
      expect(data).toMatchObject({ name: text, company: text, custom_fields: { [text]: text } })
    }
  })

  test.each(['\\u0000', '\\ud800', '\\udc00', '\\udc00\\ud800', '\\u0007', '\\u001b[0m', '\\r', '\\u007f', '\\u0085'])(
    'a text with %s is 400',
    async (escaped) => {
      const { accountId, client } = await makeTenant(service)
      for (const field of [
        'name',
        'email',
        'phone',
        'company',
        'title',
        'location',
        'linkedin_profile_url',
        'source',
      ]) {
        const answer = await client.post('/contacts', `{"name": "Ana", "${field}": "a${escaped}b"}`)
        expectError(answer, 400, 'VALIDATION_ERROR', { details: [field] })
      }
      expect(await countContacts(accountId)).toBe(0)
    },
  )

  test('a search for a forbidden character is 400', async () => {
    const { client } = await makeTenant(service)
    for (const field of ['search', 'company', 'email', 'phone', 'source']) {
      const answer = await client.get(`/contacts?${field}=a%00b`)
      expectError(answer, 400, 'VALIDATION_ERROR', { details: [field] })
    }
  })

  const whole = (unit: string) => (length: number) => unit.repeat(length)
  const address = (unit: string) => (length: number) => `${unit.repeat(length - 5)}@b.co`
  test.each([
    ['name', 255, whole],
    ['email', 320, address],
    ['phone', 40, whole],
    ['company', 255, whole],
    ['title', 255, whole],
    ['location', 255, whole],
    ['linkedin_profile_url', 2048, whole],
    ['source', 255, whole],
  ])('%s has at most %d code points, however many bytes they take', async (field, limit, make) => {
    const { client } = await makeTenant(service)
    for (const unit of ['x', 'é', '😀']) {
      const fits = make(unit)(limit)
      const created = await client.post('/contacts', { name: 'Ana', [field]: ` ${fits} ` })
      expect([created.status, created.body.data?.[field]]).toEqual([201, fits])
      const answer = await client.post('/contacts', { name: 'Ana', [field]: make(unit)(limit + 1) })
      expectError(answer, 400, 'VALIDATION_ERROR', { details: [field] })
      expect(answer.body.error.details[0].message).toContain(String(limit))
    }
  })
})

describe('custom fields', () => {
  const nested = (depth: number): string => `${'{"x":'.repeat(depth)}1${'}'.repeat(depth)}`

  test.each([
    ['a NUL character', '{"a": "\\u0000"}'],
    ['a NUL character deep inside', '{"a": [1, {"b": ["x\\u0000y"]}]}'],
    ['a NUL character in a name', '{"a": {"\\u0000": 1}}'],
    ['half a surrogate pair deep inside', '{"a": [[["\\ud83d"]]]}'],
    ['half a surrogate pair in a name', '{"\\ude00": 1}'],
    ['a number beyond a double', '{"a": 1e400}'],
    ['a number beyond a double, negative and deep', '{"a": [{"b": -1e999}]}'],
    ['an integer beyond 2^53', '{"a": 9007199254740993}'],
    ['a long integer', '{"a": 123456789012345678901234567890}'],
    ['a nesting of 10,000 levels', nested(10_000)],
    ['a nesting of 150,000 levels', nested(150_000)],
    ['a list nested 200,000 levels deep', `{"x":${'['.repeat(200_000)}${']'.repeat(200_000)}}`],
    ['more than 64 KiB', JSON.stringify({ a: 'x'.repeat(65_536) })],
    ['more than 64 KiB in few characters', JSON.stringify({ a: '€'.repeat(22_000) })],
  ])('with %s are 400', async (_what, json) => {
    const { accountId, client } = await makeTenant(service)
    const answer = await client.post('/contacts', `{"name": "Ana", "custom_fields": ${json}}`)
    expectError(answer, 400, 'VALIDATION_ERROR', { details: ['custom_fields'] })
    expect(await countContacts(accountId)).toBe(0)
  })

  test.each([
    ['a name __proto__', '{"__proto__": {"admin": true}, "constructor": 1, "toString": null}'],
    [
      'numbers up to the last exact one',
      '{"a": 9007199254740991, "b": -9007199254740991, "c": 0.1, "d": 1e-7, "e": 5e-324}',
    ],
    ['64 levels', nested(64)],
    ['64 KiB', JSON.stringify({ a: 'x'.repeat(65_536 - 8) })],
    ['white space and control characters', '{"a": " \\r\\n\\u0007 ", " b ": ""}'],
    ['every kind of value', '{"a": [null, true, false, 0, "", {}, []]}'],
    ['nothing', '{}'],
  ])('with %s come back as they were sent', async (_what, json) => {
    const { client } = await makeTenant(service)
    const created = await client.post('/contacts', `{"name": "Ana", "custom_fields": ${json}}`)
    expect(created.status).toBe(201)
    const read = await client.get(`/contacts/${created.body.data.id}`)
    const canonical = (value: unknown) => JSON.stringify(Object.entries(value as object).toSorted())
    for (const { body } of [created, read]) {
      expect(canonical(body.data.custom_fields)).toBe(canonical(JSON.parse(json)))
    }
  })

  test('hostile unknown fields do no harm', async () => {
    const { client } = await makeTenant(service)
    const hostile = `{"name": "Ana", "deep": ${nested(100_000)}, "huge": 1e999}`
    expectError(await client.post('/contacts', hostile), 400, 'VALIDATION_ERROR', { details: ['deep'] })
    const harmless = `{"name": "Ana", "deep": ${nested(70)}, "huge": 1e999}`
    expectWarnings(await client.post('/contacts', harmless, { 'Idempotency-Key': 'deep' }), ['deep', 'huge'])
  })
})

describe('timestamps', () => {
  test('go out as ISO 8601 in UTC with milliseconds, and come back as an inclusive bound', async () => {
    const { client } = await makeTenant(service)
    const { data } = (await client.post('/contacts', { name: 'Ana' })).body
    for (const field of ['created_at', 'updated_at']) {
      const at = data[field]
      expect(at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      const name = field.replace('_at', '')
      const { body } = await client.get(`/contacts?${name}_after=${at}&${name}_before=${at}`)
      expect(body.data.map(({ id }: { id: string }) => id)).toEqual([data.id])
    }
  })

  /** One contact at each of the instants around the last day of January 2024. */
  async function makeAround(): Promise<(query: string) => Promise<string>> {
    const { accountId, client } = await makeTenant(service)
    const instants = [
      '2024-01-30T23:59:59.999Z',
      '2024-01-31T00:00:00.000Z',
      '2024-01-31T23:59:59.999Z',
      '2024-02-01T00:00:00.000Z',
    ]
    for (const [i, at] of instants.entries()) {
      await makeContact(service.database, accountId, { name: 'abcd'[i], createdAt: new Date(at) })
    }
    return async (query) => {
      const { status, body } = await client.get(`/contacts?sort_by=name&sort_order=asc&${query}`)
      expect([query, status, body.warnings]).toEqual([query, 200, undefined])
      const names = body.data.map(({ name }: { name: string }) => name).join('')
      expect(body.pagination.total).toBe(names.length)
      return names
    }
  }

  test('a date alone is its first instant as a lower bound and its last as an upper one', async () => {
    const found = await makeAround()
    expect(await found('created_after=2024-01-31')).toBe('bcd')
    expect(await found('created_before=2024-01-31')).toBe('abc')
    expect(await found('created_after=2024-01-31&created_before=2024-01-31')).toBe('bc')
  })

  test('a date-time is UTC without an offset, and an offset is honoured', async () => {
    const found = await makeAround()
    const midnight = [
      '2024-01-31T00:00:00Z',
      '2024-01-31T00:00:00',
      '2024-01-31T00:00',
      '2024-01-31T00:00:00.000Z',
      '2024-01-30T21:00:00-03:00',
      '2024-01-31T03:00:00%2B03:00',
      '2024-01-31T03:00:00+03:00',
      '2024-01-31T05:30+0530',
      '2024-01-31%2000:00:00',
    ]
    for (const bound of midnight) {
      expect([bound, await found(`created_after=${bound}`)]).toEqual([bound, 'bcd'])
      expect([bound, await found(`created_before=${bound}`)]).toEqual([bound, 'ab'])
    }
  })

  test('a bound finer than a millisecond lets in nothing beyond it', async () => {
    const found = await makeAround()
    expect(await found('created_before=2024-01-31T23:59:59.998999Z')).toBe('ab')
    expect(await found('created_before=2024-01-31T23:59:59.999001Z')).toBe('abc')
    expect(await found('created_after=2024-01-31T23:59:59.999001Z')).toBe('d')
    expect(await found('created_after=2024-01-31T23:59:59.998001Z')).toBe('cd')
  })

  test('a lower bound after the upper one matches nothing', async () => {
    const found = await makeAround()
    expect(await found('created_after=2024-02-01&created_before=2024-01-31')).toBe('')
  })

  test('the ends of the calendar are no trouble', async () => {
    const found = await makeAround()
    expect(await found('created_after=0001-01-01&created_before=9999-12-31')).toBe('abcd')
  })

  test.each([
    'yesterday',
    '2024-02-30',
    '2023-02-29',
    '2024-13-01',
    '0000-01-01',
    '2024-1-1',
    '2024-01-31T25:00',
    '1706659200',
    'infinity',
    'now',
    '2024-01-31T00:00:00%2B99:00',
    '10000-01-01',
    '%00',
  ])('%s is no date in any bound', async (text) => {
    const { client } = await makeTenant(service)
    for (const name of ['created_after', 'created_before', 'updated_after', 'updated_before']) {
      expectError(await client.get(`/contacts?${name}=${text}`), 400, 'VALIDATION_ERROR', { details: [name] })
    }
  })
})

describe('paging', () => {
  async function makeThree() {
    const tenant = await makeTenant(service)
    for (let i = 0; i < 3; i++) await makeContact(service.database, tenant.accountId)
    return tenant.client
  }

  test.each([
    ['page=0', { page: 1 }, ['page']],
    ['page=-7', { page: 1 }, ['page']],
    ['limit=0', { per_page: 1 }, ['limit']],
    ['limit=-1', { per_page: 1 }, ['limit']],
    ['limit=101', { per_page: 100 }, ['limit']],
    ['limit=99999999999999999999', { per_page: 100 }, ['limit']],
    ['page=0&limit=1000', { page: 1, per_page: 100 }, ['page', 'limit']],
  ])('?%s counts as the nearest bound, with a warning', async (query, pagination, warnings) => {
    const client = await makeThree()
    const answer = await client.get(`/contacts?${query}`)
    expectWarnings(answer, warnings)
    expect(answer.body.pagination).toMatchObject({ total: 3, ...pagination })
    expect(answer.body.data).toHaveLength(Math.min(3, answer.body.pagination.per_page))
  })

  test.each(['x', '1.5', '1.0', '1e1', '0x1', 'NaN', '1,2', '%D9%A1', '--1', 'null'])(
    '%s is no page and no limit',
    async (text) => {
      const { client } = await makeTenant(service)
      const answer = await client.get(`/contacts?page=${text}&limit=${text}`)
      expectError(answer, 400, 'VALIDATION_ERROR', { details: ['page', 'limit'] })
    },
  )

  test('a page past the end is empty and tells the true totals', async () => {
    const client = await makeThree()
    for (const page of ['3', '1000000', '2147483647', '99999999999999999999']) {
      const { status, body } = await client.get(`/contacts?limit=2&page=${page}`)
      expect([page, status, body.data]).toEqual([page, 200, []])
      expect(body.pagination).toMatchObject({
        per_page: 2,
        total: 3,
        total_pages: 2,
        has_next: false,
        has_prev: true,
        next_cursor: null,
      })
    }
    const filtered = await client.get('/contacts?page=9&search=contact')
    expect(filtered.body).toMatchObject({ data: [], pagination: { total: 3, total_pages: 1 } })
    const tags = await client.get('/tags?page=9')
    expect(tags.body).toMatchObject({ data: [], pagination: { page: 9, total: 0, total_pages: 0 } })
  })

  test('pagination tells where the page stands', async () => {
    const client = await makeThree()
    const ask = async (page: number) => (await client.get(`/contacts?limit=2&page=${page}`)).body.pagination
    const all = { per_page: 2, total: 3, total_pages: 2 }
    expect(await ask(1)).toEqual({ ...all, page: 1, has_next: true, has_prev: false, next_cursor: expect.any(String) })
    expect(await ask(2)).toEqual({ ...all, page: 2, has_next: false, has_prev: true, next_cursor: null })
  })
})

describe('what is hardly HTTP', () => {
  const get = (path: string, ...headers: string[]) =>
    [`GET ${path} HTTP/1.1`, 'Connection: close', ...headers, '', ''].join('\r\n')
  const post = (...headers: string[]) =>
    ['POST /external/v1/contacts HTTP/1.1', 'Host: x', ...headers, '', ''].join('\r\n')

  test.each([
    ['garbage', 'hello\r\n\r\n'],
    ['the beginning of TLS', Buffer.from('16030100a5010000a10303', 'hex')],
    ['an unknown version', 'GET / HTTP/9.9\r\nHost: x\r\n\r\n'],
    ['no host', get('/external/v1/contacts')],
    ['a malformed header', get('/external/v1/contacts', 'Host: x', 'X Y: z')],
    ['a length that is no number', post('Content-Length: many')],
    ['two lengths', post('Content-Length: 5', 'Content-Length: 6')],
    ['both a length and chunks', post('Content-Length: 5', 'Transfer-Encoding: chunked')],
  ])('%s is 400 as JSON', async (_what, text) => {
    const answer = await sendRaw(text)
    expectError(answer, 400, 'VALIDATION_ERROR')
    expect(answer.headers.get('x-request-id')).toMatch(UUID)
  })

  test('an unknown method is 405 as JSON', async () => {
    expectError(await sendRaw('FROB / HTTP/1.1\r\nHost: x\r\n\r\n'), 405, 'METHOD_NOT_ALLOWED')
  })

  test('headers that are too large are 431 as JSON', async () => {
    const answer = await sendRaw(get('/external/v1/contacts', 'Host: x', `X-Pad: ${'x'.repeat(20_000)}`))
    expectError(answer, 431, 'VALIDATION_ERROR')
    const long = await sendRaw(get(`/external/v1/contacts?search=${'x'.repeat(20_000)}`, 'Host: x'))
    expectError(long, 431, 'VALIDATION_ERROR')
  })

  test('an expectation that is unknown is passed over', async () => {
    expectError(await sendRaw(get('/external/v1/contacts', 'Host: x', 'Expect: wonders')), 401, 'MISSING_API_KEY')
  })

  test('a whole address in the request line is understood', async () => {
    const { key } = await makeTenant(service)
    const answer = await sendRaw(get('http://x/external/v1/contacts?limit=1', 'Host: x', `X-API-Key: ${key}`))
    expect([answer.status, answer.body.pagination.per_page]).toEqual([200, 1])
  })

  test('the service goes on after all of it', async () => {
    const { client } = await makeTenant(service)
    expect((await client.get('/contacts')).status).toBe(200)
  })
})
