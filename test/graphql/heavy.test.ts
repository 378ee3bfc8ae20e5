import { startTestApp, type TestApp } from '../support/app.js'
import { makeKey, makeTenant } from '../support/factories.js'
import { HEAVY_BODIES, HEAVY_QUERIES } from '../support/heavy.js'
import { leastOf } from '../support/least.js'

const MAX_ANSWER = 65_536
/** Ten times what a body may cost the process (milliseconds of its time, the client's share included). */
const MAX_CPU_MS = 500

let service: TestApp
let key: string
beforeAll(async () => {
  service = await startTestApp()
  const { accountId } = await makeTenant(service)
  key = (await makeKey(service.database, accountId)).secret
})
afterAll(() => service.stop())

const send = (url: string, body: string, headers: Record<string, string>) =>
  leastOf(
    MAX_CPU_MS,
    ({ ms }) => ms,
    () => sendOnce(url, body, headers),
  )

async function sendOnce(url: string, body: string, headers: Record<string, string>) {
  const before = process.cpuUsage()
  const response = await fetch(url, {
    method: 'POST',
    body,
    headers: { 'Content-Type': 'application/json', ...headers },
  })
  const text = await response.text()
  const { user, system } = process.cpuUsage(before)
  return { status: response.status, text, ms: (user + system) / 1000 }
}

describe.each(Object.entries(HEAVY_QUERIES))('%s in a query', (_, body) => {
  test('cost little and are answered shortly with a key', async () => {
    const { status, text, ms } = await send(`${service.origin}/graphql`, body, { 'X-API-Key': key })
    expect(text.length).toBeLessThanOrEqual(MAX_ANSWER)
    expect([200, 400, 413]).toContain(status)
    expect(text).not.toContain('INTERNAL')
    expect(JSON.parse(text).errors ?? []).not.toContainEqual(undefined)
    expect(ms).toBeLessThan(MAX_CPU_MS)
  })

  test('cost nothing without a key', async () => {
    const { status, text, ms } = await send(`${service.origin}/graphql`, body, {})
    expect(text.length).toBeLessThanOrEqual(1000)
    // The schema is open to all outside of production, but not for a query that multiplies.
    expect([status, JSON.parse(text).errors.length]).toEqual(body.includes('__schema') ? [200, 1] : [401, 1])
    expect(ms).toBeLessThan(MAX_CPU_MS)
  })
})

describe.each(Object.entries(HEAVY_BODIES))('%s in a body', (name, body) => {
  test('cost little and are answered shortly', async () => {
    for (const prefer of ['handling=lenient', 'handling=strict']) {
      const headers = { 'X-API-Key': key, Prefer: prefer, 'Idempotency-Key': name.replaceAll(' ', '-') }
      const { status, text, ms } = await send(`${service.base}/contacts`, body, headers)
      expect(text.length).toBeLessThanOrEqual(MAX_ANSWER)
      expect([400, 201]).toContain(status)
      expect(ms).toBeLessThan(MAX_CPU_MS)
    }
  })
})

describe('without a key', () => {
  const ask = (query: string, origin = service.origin) => send(`${origin}/graphql`, JSON.stringify({ query }), {})

  test('only what is public is parsed: one root field of the list, without alias, fragment or directive', async () => {
    expect(JSON.parse((await ask('{ __typename }')).text).data).toEqual({ __typename: 'Query' })
    for (const query of [
      '{ contacts { items { id } } }',
      '{ __typename contacts { items { id } } }',
      '{ __typename __typename }',
      '{ a: __typename }',
      '{ ... { __typename } }',
      '{ ...A } fragment A on Query { __typename }',
      '{ __typename @include(if: true) }',
      `{ __typename ${'# '.repeat(10)}\n${' , '.repeat(10)} nothing }`,
      `query A { __typename } query B { __typename }`,
      '{ nothing }',
      '{',
      '',
    ]) {
      const { status, text } = await ask(query)
      expect([query, status, JSON.parse(text).errors[0].extensions.code]).toEqual([query, 401, 'MISSING_API_KEY'])
    }
  })

  test('the schema and the page are open outside of production only', async () => {
    const { text } = await ask('query Introspect { __schema { ...A } } fragment A on __Schema { queryType { name } }')
    expect(JSON.parse(text).data.__schema.queryType.name).toBe('Query')
    const production = await startTestApp({ production: true })
    try {
      expect((await ask('{ __schema { queryType { name } } }', production.origin)).status).toBe(401)
      expect(JSON.parse((await ask('{ __typename }', production.origin)).text).data.__typename).toBe('Query')
    } finally {
      await production.stop()
    }
  })
})

describe('what an operation counts for', () => {
  test('is its root fields and every fifth look-up below them, told in the answer and in the headers', async () => {
    const { client } = await makeTenant(service, { rateLimit: 100 })
    const relations = 'contact { id } pipeline { id } stage { id } owner { id } sector { id } campaign { id }'
    const cases: [query: string, cost: number][] = [
      ['{ __typename }', 1],
      ['{ contacts { items { id tags { id } notes { id } } pagination { total } } }', 1],
      [`{ opportunities { items { ${relations} } } }`, 2],
      ['{ a: tags { items { id } } b: tags { items { id } } }', 2],
      [
        '{ ...A ...B } fragment A on Query { tags { items { id } } } fragment B on Query { x: tags { items { id } } }',
        2,
      ],
      [
        `{ ${Array.from({ length: 50 }, (_, i) => `a${i}: contacts(filter: {search: "a"}) { items { id } }`).join(' ')} }`,
        50,
      ],
      ['{ contacts(limit: 1) @skip(if: true) { items { id } } tags { items { id } } }', 2],
    ]
    let used = 0
    for (const [query, cost] of cases) {
      const { body, headers } = await client.graphql(query)
      used += cost
      expect([query, body.errors, body.extensions.cost]).toEqual([query, undefined, cost])
      expect(headers.get('x-ratelimit-remaining')).toBe(String(100 - used))
    }
  })

  test('must be left, or nothing of it runs', async () => {
    const { client } = await makeTenant(service, { rateLimit: 5 })
    const create = (count: number) =>
      `mutation { ${Array.from({ length: count }, (_, i) => `a${i}: createTag(input: {name: "T${i}", color: "#fff"}) { id }`).join(' ')} }`
    const refused = await client.graphql(create(6))
    expect([refused.status, refused.body.errors[0].extensions.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refused.body.data).toBeUndefined()
    const { rows } = await service.database.pool.query("select 1 from tag where name = 'T0'")
    expect(rows).toEqual([])
  })
})
