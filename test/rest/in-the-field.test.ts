import { startTestApp, type TestApp } from '../support/app.js'
import { type Answer, createClient } from '../support/client.js'
import { makeTenant } from '../support/factories.js'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

async function raw(method: string, path: string, given: Record<string, string> = {}) {
  const response = await fetch(service.origin + path, { method, headers: given })
  const text = await response.text()
  return { status: response.status, headers: response.headers, json: () => JSON.parse(text) }
}

describe('methods and addresses', () => {
  test.each(['/healthz', '/readyz', '/openapi.json'])('%s can be read, and nothing else', async (path) => {
    for (const method of ['GET', 'HEAD']) expect((await raw(method, path)).status).toBe(200)
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND']) {
      const response = await raw(method, path)
      expect([method, response.status, response.headers.get('allow')]).toEqual([method, 405, 'GET, HEAD, OPTIONS'])
      expect(response.json()).toMatchObject({ success: false, error: { code: 'METHOD_NOT_ALLOWED' } })
    }
    const options = await raw('OPTIONS', path)
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS'])
  })

  test('/graphql is asked by GET or POST, and tells so', async () => {
    for (const method of ['PUT', 'PATCH', 'DELETE', 'PROPFIND']) {
      const response = await raw(method, '/graphql')
      expect([method, response.status, response.headers.get('allow')]).toEqual([
        method,
        405,
        'GET, HEAD, POST, OPTIONS',
      ])
      expect(response.json()).toMatchObject({ errors: [{ extensions: { code: 'METHOD_NOT_ALLOWED' } }] })
    }
  })

  test('a browser is let through to the 404 of an unknown route, and can read what it needs', async () => {
    const asking = { Origin: 'https://example.com', 'Access-Control-Request-Method': 'POST' }
    for (const path of ['/external/v1/nowhere', '/nowhere', '/external/v1/contacts', '/graphql', '/healthz']) {
      const response = await raw('OPTIONS', path, asking)
      expect([path, response.status]).toEqual([path, 204])
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
    }
    const missing = await raw('GET', '/external/v1/nowhere', { Origin: 'https://example.com' })
    expect(missing.status).toBe(404)
    expect(missing.headers.get('access-control-expose-headers')).toMatch(/\bAllow\b.*\bWWW-Authenticate\b/)
  })

  test('percent-encoded letters are those letters', async () => {
    const { client, key } = await makeTenant(service)
    await client.post('/contacts', { name: 'Ana' })
    for (const path of ['/external/v1/%63ontacts', '/external/v1/c%6Fntact%73/', '/%65xternal/v1/contacts?limit=1']) {
      const response = await raw('GET', path, { 'X-API-Key': key })
      expect([path, response.status, response.json().data?.length]).toEqual([path, 200, 1])
    }
    expect((await raw('GET', '/external/v1%2Fcontacts', { 'X-API-Key': key })).status).toBe(404)
  })

  test('401 says how to ask', async () => {
    const answers = [
      await raw('GET', '/external/v1/contacts'),
      await raw('GET', '/external/v1/contacts', { 'X-API-Key': 'x' }),
      await raw('GET', '/graphql?query={session{key{id}}}'),
    ]
    for (const { status, headers } of answers) {
      expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="fairlead"'])
    }
  })

  test('405 tells a caller who is known what is left, and does not count', async () => {
    const { client } = await makeTenant(service, { rateLimit: 5 })
    const first = await client.call('DELETE', '/contacts')
    expect([first.status, first.headers.get('x-ratelimit-remaining')]).toEqual([405, '5'])
    await client.get('/contacts')
    const later = await client.call('PATCH', '/contacts')
    expect([later.status, later.headers.get('x-ratelimit-remaining')]).toEqual([405, '4'])
    const unknown = await createClient(service.origin, 'x').call('DELETE', '/contacts')
    expect([unknown.status, unknown.headers.get('x-ratelimit-remaining')]).toEqual([405, null])
  })
})

describe('messages', () => {
  test('say of one fault what it is, in documented names, and of several where they are', async () => {
    const { client } = await makeTenant(service)
    const messageOf = ({ body }: Answer) => body.error.message
    const long = 'x'.repeat(256)
    expect(messageOf(await client.post('/contacts', { name: 'Ana', title: long }))).toBe(
      'title must have at most 255 characters.',
    )
    expect(messageOf(await client.post('/opportunities', { name: 'Ana', title: long }))).toBe(
      'title must have at most 255 characters.',
    )
    expect(messageOf(await client.post('/opportunities', { name: 'Ana', campaign_id: 'x' }))).toMatch(
      /^campaign_id must /,
    )
    expect(messageOf(await client.post('/contacts', { name: 'Ana', tags: ['x'] }))).toMatch(/^tags item 1 must be/)
    expect(messageOf(await client.post('/contacts', { email: 'x' }))).toBe('Invalid input: name, email.')
    expect(messageOf(await client.get('/contacts?limit=x'))).toBe('limit must be an integer.')
  })

  test('say when a key that is used up can be used again', async () => {
    const { client } = await makeTenant(service, { rateLimit: 1 })
    await client.get('/')
    const { body, headers } = await client.get('/')
    const seconds = headers.get('retry-after')
    expect(body.error.message).toBe(
      `The 1 requests that this key may make in an hour are used up; try again in ${seconds} seconds.`,
    )
  })

  test('do not tell a huge name back', async () => {
    const { client } = await makeTenant(service)
    const name = 'n'.repeat(10_000)
    for (const answer of [
      await client.get(`/contacts?${name}=1`),
      await client.get(`/contacts?${name}=1`, { Prefer: 'handling=strict' }),
      await client.post('/contacts', { [name]: 1 }, { Prefer: 'handling=strict' }),
      await client.graphql(`{ ${name} }`),
    ]) {
      expect(answer.text).not.toContain('n'.repeat(500))
    }
  })
})

describe('parameters', () => {
  test('that are unknown, or the key, may be given once like all others', async () => {
    const { client, key } = await makeTenant(service)
    const unknown = await client.get('/contacts?colour=red&colour=blue')
    expect([unknown.status, unknown.body.error.details]).toEqual([
      400,
      [{ field: 'colour', message: 'must be given only once' }],
    ])
    const twice = await createClient(service.origin).get(`/contacts?api_key=${key}&api_key=${key}`)
    expect([twice.status, twice.body.error.details]).toEqual([
      400,
      [{ field: 'api_key', message: 'must be given only once' }],
    ])
    expect((await createClient(service.origin).get(`/contacts?api_key=x&api_key=${key}`)).status).toBe(401)
  })

  test('beyond 32 bits are brought to the nearest value, with a warning', async () => {
    const { client } = await makeTenant(service)
    const page = await client.get('/contacts?page=99999999999')
    expect([page.status, page.body.data]).toEqual([200, []])
    expect(page.body.warnings).toContainEqual({ field: 'page', message: 'is beyond 32 bits; 2147483647 was used' })
    const limit = await client.get('/contacts?limit=99999999999')
    expect(limit.body.warnings).toEqual([{ field: 'limit', message: 'is outside 1 to 100; 100 was used' }])
    const strict = await client.get('/contacts?page=99999999999', { Prefer: 'handling=strict' })
    expect([strict.status, strict.body.error.message]).toEqual([400, 'page is beyond 32 bits.'])
  })

  test('that choose and are empty in a body are the same as absent', async () => {
    const { client } = await makeTenant(service)
    const { status, body } = await client.post('/opportunities', { name: 'Ana', source: ' ' })
    expect([status, body.data?.source, body.warnings]).toEqual([201, 'other', undefined])
  })
})
