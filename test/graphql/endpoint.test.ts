import { startTestApp, type TestApp } from '../support/app.js'
import { type Answer, createClient } from '../support/client.js'
import { makeContact, makeTag, makeTenant } from '../support/factories.js'

const NOBODY = '0190163d-8694-739b-aea5-966c26f8ad91'
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

/** Expects exactly these errors, in any order, by code. */
function expectCodes({ status, body, headers }: Answer, codes: string[], expectedStatus = 200): void {
  expect(headers.get('content-type')).toMatch(/^application\/(json|graphql-response\+json)\b/)
  expect(headers.get('x-request-id')).toMatch(/./)
  expect(body.errors.map((error: { extensions: { code: string } }) => error.extensions.code).toSorted()).toEqual(
    codes.toSorted(),
  )
  for (const { message } of body.errors) expect(message).toMatch(/\w/)
  expect(status).toBe(expectedStatus)
}

async function send(init: RequestInit, query = '', { origin } = service): Promise<Answer> {
  const response = await fetch(`${origin}/graphql${query}`, init)
  const text = await response.text()
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {}
  return { status: response.status, headers: response.headers, text, body }
}

/** Posts a text with a key. */
const post = (key: string, body: string | Buffer, headers: Record<string, string> = {}) =>
  send({ method: 'POST', body, headers: { 'Content-Type': 'application/json', 'X-API-Key': key, ...headers } })

describe('queries', () => {
  test('contacts are found, sorted and paged as in REST', async () => {
    const { accountId, client } = await makeTenant(service)
    const tag = await makeTag(service.database, accountId, { name: 'Hot' })
    await makeContact(service.database, accountId, { name: 'Bia', company: 'Acme', tags: [tag], notes: ['called'] })
    await makeContact(service.database, accountId, { name: 'Ana', company: 'ACME' })
    await makeContact(service.database, accountId, { name: 'Cid', company: 'Other' })
    const { status, body } = await client.graphql(
      `query ($filter: ContactFilter) {
        contacts(filter: $filter, sort: { by: NAME, order: ASC }, page: 1, limit: 1) {
          items { name tags { id name color } notes { note } }
          pagination { page perPage total totalPages hasNext hasPrev nextCursor }
        }
        tags { items { name } pagination { total } }
      }`,
      { filter: { company: 'acme', createdAfter: '2020-01-01' } },
    )
    expect([status, body]).toEqual([
      200,
      {
        extensions: { cost: 2 },
        data: {
          contacts: {
            items: [{ name: 'Ana', tags: [], notes: [] }],
            pagination: {
              page: 1,
              perPage: 1,
              total: 2,
              totalPages: 2,
              hasNext: true,
              hasPrev: false,
              nextCursor: expect.any(String),
            },
          },
          tags: { items: [{ name: 'Hot' }], pagination: { total: 1 } },
        },
      },
    ])
  })

  test('a contact is created and read', async () => {
    const { accountId, client } = await makeTenant(service)
    const tag = await makeTag(service.database, accountId)
    const input = {
      name: ' Zoë ',
      email: 'zoe@example.com',
      headline: 'Buyer',
      tagIds: [tag.id],
      customFields: { deep: [{ x: null }] },
      extractedContacts: { emails: ['z@example.com'] },
    }
    const created = await client.graphql(
      `mutation ($input: CreateContactInput!) {
        createContact(input: $input) {
          id name email headline source customFields tags { id } notes { id }
          extractedContacts { emails phones websites }
        }
      }`,
      { input },
    )
    const { id, ...rest } = created.body.data.createContact
    expect(rest).toEqual({
      name: 'Zoë',
      email: 'zoe@example.com',
      headline: 'Buyer',
      source: 'api',
      customFields: { deep: [{ x: null }] },
      tags: [{ id: tag.id }],
      notes: [],
      extractedContacts: { emails: ['z@example.com'], phones: [], websites: [] },
    })
    const read = await client.graphql('query ($id: ID!) { contact(id: $id) { id name createdAt } }', { id })
    const createdAt = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(read.body.data).toEqual({ contact: { id, name: 'Zoë', createdAt } })
  })

  test('a key can be asked whom it stands for', async () => {
    const { accountId, client, keyId } = await makeTenant(service, { permissions: ['tags:read'], rateLimit: 9 })
    const { body } = await client.graphql(`{
      session { account { id country currency } key { id permissions } rateLimit { limit remaining reset } }
      service { message version documentation }
    }`)
    expect(body.data.session).toEqual({
      account: { id: accountId, country: 'BR', currency: 'BRL' },
      key: { id: keyId, permissions: ['tags:read'] },
      rateLimit: { limit: 9, remaining: 7, reset: expect.any(Number) },
    })
    expect(body.data.service.version).toMatch(/^\d+\.\d+\.\d+/)
  })

  test('the records of another account are not there', async () => {
    const [mine, other] = [await makeTenant(service), await makeTenant(service)]
    const { id } = await makeContact(service.database, other.accountId)
    const { body } = await mine.client.graphql('{ contacts { items { id } pagination { total } } }')
    expect(body.data.contacts).toEqual({ items: [], pagination: { total: 0 } })
    expectCodes(await mine.client.graphql(`{ contact(id: "${id}") { id } }`), ['NOT_FOUND'])
  })
})

describe('errors', () => {
  test('without a good key nothing is answered that needs one', async () => {
    const query = '{ __typename session { key { id } } }'
    expectCodes(await createClient(service.origin).graphql(query), ['MISSING_API_KEY'], 401)
    expectCodes(await createClient(service.origin, 'x').graphql(query), ['INVALID_API_KEY'], 401)
    const { body } = await createClient(service.origin).graphql('{ __typename }')
    expect(body.data).toEqual({ __typename: 'Query' })
  })

  test('a key is also taken as a Bearer token', async () => {
    const { key, keyId } = await makeTenant(service)
    const answer = await post('', '{"query": "{ session { key { id } } }"}', { Authorization: `Bearer ${key}` })
    expect(answer.body.data.session.key.id).toBe(keyId)
  })

  test('a missing permission is named', async () => {
    const { client } = await makeTenant(service, { permissions: ['tags:read'] })
    const answer = await client.graphql('{ tags { items { id } } contact(id: "x") { id } }')
    expectCodes(answer, ['INSUFFICIENT_PERMISSIONS'])
    expect(answer.body.errors[0].extensions.requiredPermission).toBe('contacts:read')
    expect(answer.body.data).toBeUndefined()
    const write = await client.graphql('mutation { createContact(input: { name: "" }) { id } }')
    expectCodes(write, ['INSUFFICIENT_PERMISSIONS'])
  })

  test('wrong input is told by its paths, all at once', async () => {
    const { client } = await makeTenant(service)
    const answer = await client.graphql(
      'mutation ($input: CreateContactInput!) { createContact(input: $input) { id } }',
      {
        input: {
          name: ' ',
          email: 'nobody',
          about: 'x'.repeat(20_001),
          tagIds: [NOBODY, 'x'],
          extractedContacts: { emails: ['ok@example.com', 'x'.repeat(321)] },
          customFields: { a: '\0' },
        },
      },
    )
    expectCodes(answer, ['VALIDATION_ERROR'])
    const { details } = answer.body.errors[0].extensions
    expect(details.map(({ path }: { path: unknown[] }) => path.join('.')).toSorted()).toEqual([
      'input.about',
      'input.customFields',
      'input.email',
      'input.name',
      'input.tagIds.1',
    ])
    for (const { message } of details) expect(message).toMatch(/^must /)
    expect(answer.body.extensions.warnings).toEqual([
      {
        path: ['input', 'extractedContacts', 'emails', 1],
        message: 'must have at most 320 characters and was left out',
      },
    ])
  })

  test('a record that is not there is NOT_FOUND', async () => {
    const { client } = await makeTenant(service)
    for (const id of [NOBODY, 'x', '', '\\u0000']) {
      expectCodes(await client.graphql(`{ contact(id: "${id}") { id } }`), ['NOT_FOUND'])
    }
  })

  test('a taken email is DUPLICATE_ERROR and tells whose it is', async () => {
    const { accountId, client } = await makeTenant(service)
    const { id } = await makeContact(service.database, accountId, { email: 'ana@example.com' })
    const answer = await client.graphql(
      'mutation { createContact(input: { name: "A", email: "ANA@example.com" }) { id } }',
    )
    expectCodes(answer, ['DUPLICATE_ERROR'])
    expect(answer.body.errors[0].extensions.details).toEqual([
      { path: ['input', 'email'], message: expect.any(String), existingId: id },
    ])
  })

  test('what is inside stays inside', async () => {
    const broken = await startTestApp()
    try {
      const { client } = await makeTenant(broken)
      await broken.database.pool.query('alter table tag rename to cupboard')
      const answer = await client.graphql('{ tags { items { id } } }')
      expectCodes(answer, ['INTERNAL_ERROR'])
      expect(answer.text).not.toMatch(/relation|select|cupboard|stack|\.ts|\.js/i)
      const logged = broken.logs().filter((line) => line.requestId === answer.headers.get('x-request-id') && line.err)
      expect(JSON.stringify(logged)).toContain('does not exist')
    } finally {
      await broken.stop()
    }
  })

  test('each answer carries a request id, the one that was sent if it is sane', async () => {
    const { key } = await makeTenant(service)
    const body = '{"query": "{ __typename }"}'
    expect((await post(key, body, { 'X-Request-Id': 'abc' })).headers.get('x-request-id')).toBe('abc')
    expect((await post(key, '{', { 'X-Request-Id': 'a b' })).headers.get('x-request-id')).toMatch(UUID)
  })
})

describe('rate limit', () => {
  test('REST and GraphQL count together, and one too many is told by its code', async () => {
    const { client, key } = await makeTenant(service, { rateLimit: 3 })
    await client.get('/contacts')
    const second = await client.graphql('{ contacts { pagination { total } } }')
    expect(second.body.errors).toBeUndefined()
    const broken = await post(key, '{')
    const refused = await client.graphql('{ __typename }')
    const left = [second, broken, refused].map(({ headers }) =>
      ['limit', 'remaining', 'reset'].map((name) => Number(headers.get(`x-ratelimit-${name}`) ?? Number.NaN)),
    )
    const reset = left[0]![2]
    expect(reset).toBeGreaterThan(Date.now() / 1000)
    expect(left).toEqual([
      [3, 1, reset],
      [3, 0, reset],
      [3, 0, reset],
    ])
    expectCodes(refused, ['RATE_LIMIT_EXCEEDED'], 429)
    expect(refused.body.errors[0].message).toMatch(/^The 3 requests .* are used up; try again in \d+ seconds\.$/)
    const { retryAfter } = refused.body.errors[0].extensions
    expect(retryAfter).toBeGreaterThan(3590)
    expect(refused.headers.get('retry-after')).toBe(String(retryAfter))
  })
})

describe('bodies', () => {
  test.each(['{', 'query', '{"query": ', '"x"', '{"query": "{ __typename }"}}'])(
    'the malformed JSON %s is answered as JSON',
    async (body) => {
      const { key } = await makeTenant(service)
      expectCodes(await post(key, body), ['VALIDATION_ERROR'], 400)
    },
  )

  test.each([
    '',
    '{}',
    '[]',
    'null',
    '{"query": 5}',
    '{"query": ""}',
    '{"query": "{"}',
    '{"query": "{ nothing }"}',
    '{"query": "{ __typename }", "variables": 5}',
    '{"query": "query ($id: ID!) { contact(id: $id) { id } }", "variables": {}}',
    '{"query": "query A { __typename } query B { __typename }"}',
    '[{"query": "{ __typename }"}]',
  ])('the body %s, which asks for nothing that can be had, is answered as JSON', async (body) => {
    const { key } = await makeTenant(service)
    const answer = await post(key, body)
    expect(answer.headers.get('content-type')).toMatch(/json/)
    expect([200, 400]).toContain(answer.status)
    expect(answer.body.errors.length).toBeGreaterThan(0)
    expect(answer.text).not.toContain('INTERNAL')
    expect(answer.text).not.toMatch(/stacktrace|node_modules/)
  })

  test('a body over 1 MiB is refused as JSON', async () => {
    const { key } = await makeTenant(service)
    const body = JSON.stringify({ query: '{ __typename }', pad: 'x'.repeat(1_048_576) })
    expectCodes(await post(key, body), ['PAYLOAD_TOO_LARGE'], 413)
  })

  test('bytes that are no text are refused as JSON', async () => {
    const { key } = await makeTenant(service)
    expectCodes(await post(key, '{}', { 'Content-Encoding': 'zip' }), ['UNSUPPORTED_MEDIA_TYPE'], 415)
    expectCodes(await post(key, '{}', { 'Content-Encoding': 'gzip' }), ['VALIDATION_ERROR'], 400)
    const klingon = await post(key, '{}', { 'Content-Type': 'application/json; charset=klingon' })
    expectCodes(klingon, ['UNSUPPORTED_MEDIA_TYPE'], 415)
  })
})

describe('browsers', () => {
  test('what a page of another site can send without asking is refused', async () => {
    const { accountId, key } = await makeTenant(service)
    const mutation = 'mutation { createContact(input: { name: "Ana" }) { id } }'
    const headers = { Authorization: `Bearer ${key}` }
    const simple = [
      await send({ headers }, `?query=${encodeURIComponent('{ __typename }')}`),
      await send({ headers }, `?query=${encodeURIComponent(mutation)}`),
    ]
    for (const answer of simple) expectCodes(answer, ['BAD_REQUEST'], 400)
    const forms = [
      await post(key, JSON.stringify({ query: mutation }), { 'Content-Type': 'text/plain' }),
      await post(key, `query=${encodeURIComponent(mutation)}`, { 'Content-Type': 'application/x-www-form-urlencoded' }),
    ]
    for (const answer of forms) expectCodes(answer, ['UNSUPPORTED_MEDIA_TYPE'], 415)
    const { rows } = await service.database.pool.query('select 1 from contact where account_id = $1', [accountId])
    expect(rows).toEqual([])
  })

  test('GET works for queries of a program, but not for mutations', async () => {
    const { key, keyId } = await makeTenant(service)
    const get = (query: string) => send({ headers: { 'X-API-Key': key } }, `?query=${encodeURIComponent(query)}`)
    expect((await get('{ session { key { id } } }')).body.data.session.key.id).toBe(keyId)
    const mutation = await get('mutation { createContact(input: { name: "Ana" }) { id } }')
    expect([mutation.status, mutation.body.errors.length]).toEqual([405, 1])
  })

  test('outside production the schema can be asked for and a browser gets a page', async () => {
    const { body } = await createClient(service.origin).graphql('{ __schema { queryType { name } } }')
    expect(body.data.__schema.queryType.name).toBe('Query')
    const page = await send({ headers: { Accept: 'text/html' } })
    expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')])
    expect(page.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self';/,
    )
    const addresses = [...page.text.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map((match) => match[1]!)
    expect(addresses).toHaveLength(6)
    for (const address of addresses) {
      const file = await fetch(service.origin + address)
      expect([address, file.status, (await file.text()).length > 0]).toEqual([address, 200, true])
      expect(file.headers.get('content-type')).toMatch(address.endsWith('.css') ? /^text\/css/ : /^text\/javascript/)
    }
  })

  test('in production there is neither schema nor page', async () => {
    const production = await startTestApp({ production: true })
    try {
      const { client } = await makeTenant(production)
      for (const query of ['{ __schema { queryType { name } } }', '{ __type(name: "Contact") { name } }']) {
        const answer = await client.graphql(query)
        expectCodes(answer, ['GRAPHQL_VALIDATION_FAILED'])
        expect(answer.body.data).toBeUndefined()
      }
      const unknown = await client.graphql('{ contact(id: "x") { nam } }')
      expect(unknown.text).not.toMatch(/did you mean/i)
      const page = await send({ headers: { Accept: 'text/html' } }, '', production)
      expectCodes(page, ['MISSING_API_KEY'], 401)
      expect((await client.graphql('{ __typename }')).body.data).toEqual({ __typename: 'Query' })
    } finally {
      await production.stop()
    }
  })
})

describe('queries that are too much', () => {
  const aliases = (count: number) =>
    `{ ${Array.from({ length: count }, (_, i) => `a${i}: session { key { id } }`).join(' ')} }`
  const deep = (depth: number) => `${'{ contact '.repeat(depth)}${'}'.repeat(depth)}`
  const fragments = (count: number, times: number) =>
    `{ ...F0 } ${Array.from({ length: count }, (_, i) => `fragment F${i} on Query { ${`...F${i + 1} `.repeat(times)} }`).join(' ')}
    fragment F${count} on Query { __typename }`

  const codesOf = ({ body }: Answer): string[] =>
    body.errors.map(({ extensions }: { extensions: { code: string } }) => extensions.code)

  test('aliases are limited', async () => {
    const { client } = await makeTenant(service)
    expect((await client.graphql(aliases(50))).body.errors).toBeUndefined()
    expectCodes(await client.graphql(aliases(51)), ['QUERY_TOO_COMPLEX'])
  })

  test('depth is limited', async () => {
    const { client } = await makeTenant(service)
    expect(codesOf(await client.graphql(deep(12)))).not.toContain('QUERY_TOO_COMPLEX')
    const answer = await client.graphql(deep(14))
    expect(codesOf(answer)).toContain('QUERY_TOO_COMPLEX')
    expect(answer.status).toBe(200)
  })

  test.each([
    ['thousands of tokens', aliases(2000)],
    ['thousands of levels', deep(1500)],
    ['a fragment that contains itself', '{ ...A } fragment A on Query { ...A }'],
    ['fragments that contain each other', '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }'],
    ['fragments that multiply', fragments(300, 3)],
    ['a long chain of fragments', fragments(500, 1)],
    [
      'a schema query that multiplies',
      `{ __schema { types { ${'fields { type { '.repeat(8)} name ${'} } '.repeat(8)} } } }`,
    ],
    ['directives without end', `{ __typename ${'@include(if: true) '.repeat(500)} }`],
    ['a deep value', `{ contacts(filter: ${'{ search: '.repeat(900)}1${'}'.repeat(900)}) { items { id } } }`],
    ['a deep list', `{ contacts(filter: { tagIds: ${'['.repeat(1500)}${']'.repeat(1500)} }) { items { id } } }`],
  ])('%s are refused quickly and without a crash', async (_what, query) => {
    const { client } = await makeTenant(service)
    const begin = performance.now()
    const answer = await client.graphql(query)
    expect(performance.now() - begin).toBeLessThan(5000)
    expect([answer.status, answer.body.data]).toEqual([200, undefined])
    expect(codesOf(answer)).not.toContain('INTERNAL_SERVER_ERROR')
    expect(codesOf(answer)).not.toContain('INTERNAL_ERROR')
    expect((await client.graphql('{ __typename }')).status).toBe(200)
  })
})

describe('statements', () => {
  test('the account that many fields ask for is read once', async () => {
    const { client, accountId } = await makeTenant(service)
    const fields = Array.from({ length: 20 }, (_, i) => `s${i}: session { account { id name } }`)
    const { result, statements } = await service.statementsOf(() => client.graphql(`{ ${fields.join(' ')} }`))
    expect(Object.values(result.body.data)).toHaveLength(20)
    expect(result.body.data.s19.account.id).toBe(accountId)
    expect(statements).toHaveLength(1)
  })

  test('a contact is read in one statement, whatever is asked of it and however often', async () => {
    const { accountId, client } = await makeTenant(service)
    const tags = [await makeTag(service.database, accountId), await makeTag(service.database, accountId)]
    const { id } = await makeContact(service.database, accountId, { tags, notes: ['one', 'two'] })
    await client.get('/')
    const parts = Array.from({ length: 20 }, (_, i) => `t${i}: tags { name } n${i}: notes { note } `)
    const { result, statements } = await service.statementsOf(() =>
      client.graphql(`{ contact(id: "${id}") { name ${parts.join(' ')} } }`),
    )
    expect(result.body.data.contact.t19).toHaveLength(2)
    expect(result.body.data.contact.n19.map(({ note }: { note: string }) => note)).toEqual(['one', 'two'])
    expect(statements).toHaveLength(1)

    const aliases = Array.from({ length: 20 }, (_, i) => `c${i}: contact(id: "${id}") { tags { name } notes { note } }`)
    const many = await service.statementsOf(() => client.graphql(`{ ${aliases.join(' ')} }`))
    expect(many.result.body.data.c19).toEqual({ tags: expect.any(Array), notes: [{ note: 'one' }, { note: 'two' }] })
    expect(many.statements.length).toBeLessThanOrEqual(20)
  })

  test('a page of contacts with tags and notes takes one statement', async () => {
    const { accountId, client } = await makeTenant(service)
    const tag = await makeTag(service.database, accountId)
    for (let i = 0; i < 30; i++) await makeContact(service.database, accountId, { tags: [tag], notes: ['x'] })
    await client.get('/')
    const { result, statements } = await service.statementsOf(() =>
      client.graphql('{ contacts { items { tags { name } notes { note } } pagination { total } } }'),
    )
    expect(result.body.data.contacts.pagination.total).toBe(30)
    for (const item of result.body.data.contacts.items) expect([item.tags.length, item.notes.length]).toEqual([1, 1])
    expect(statements).toHaveLength(1)
  })

  test('each change of a request shows what it did itself', async () => {
    const { accountId, client } = await makeTenant(service)
    const [hot, cold] = [await makeTag(service.database, accountId), await makeTag(service.database, accountId)]
    const { id } = await makeContact(service.database, accountId)
    const change = (tagId: string) => `updateContact(id: "${id}", input: { tagIds: ["${tagId}"] }) { tags { id } }`
    const { body } = await client.graphql(`mutation { a: ${change(hot.id)} b: ${change(cold.id)} }`)
    expect(body.data).toEqual({ a: { tags: [{ id: hot.id }] }, b: { tags: [{ id: cold.id }] } })
  })
})
