import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildSchema, type GraphQLObjectType } from 'graphql'
import pino from 'pino'
import { EXTERNAL } from '../../src/apis/external.js'
import { createWeb, FailureLog, type Listening, listen, requestIdOf } from '../../src/http/index.js'
import { type Admit, type Api, createRest, type Hook, loadEndpoints, openApiDocument } from '../../src/rest/index.js'
import { AppError, errorKinds } from '../../src/shared/errors.js'
import type { Viewer } from '../../src/shared/viewer.js'
import { closed, createAjv, type Json, resolved } from '../support/openapi.js'
import { stubContext } from '../support/stub-context.js'

const OWN = errorKinds({
  UNAUTHORIZED: { status: 401, meaning: 'The token is missing, unknown or revoked.', remedy: 'Send a good one.' },
  INVALID_SCOPE: { status: 403, meaning: 'The token lacks a scope.', remedy: 'Use a token that has it.' },
  SEAT_CHARGE_FAILED: { status: 402, meaning: 'The card was declined.', remedy: 'Use another card.' },
})

const operations = mkdtempSync(join(tmpdir(), 'fairlead-agency-'))

/** An API of another style than the external one: `ok`, Bearer tokens only, its own codes, no rate limit. */
const AGENCY: Api = {
  name: 'agency',
  base: '/api/webhooks/agency',
  operations,
  success: { ok: true },
  failure: { ok: false },
  renamed: { INSUFFICIENT_PERMISSIONS: OWN.INVALID_SCOPE },
  challenge: 'Bearer realm="agency"',
  admissionErrors: [OWN.UNAUTHORIZED],
  shows: {},
  document: {
    path: '/openapi/agency.json',
    title: 'Agency',
    description: 'Manages seats.',
    info: { license: { name: 'MIT', identifier: 'MIT' } },
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    callerHeaders: {},
  },
}

function schemaOfSeats() {
  const schema = buildSchema(/* GraphQL */ `
    type Seats {
      id: ID!
      "How many."
      count: Int!
    }
    type Query {
      seats(id: ID!): Seats
    }
    type Mutation {
      buySeats(id: ID!, count: Int!): Seats!
    }
  `)
  const { Seats } = schema.getTypeMap() as Record<string, GraphQLObjectType>
  Seats!.getFields().count!.extensions = { example: 3 }
  const { seats } = schema.getQueryType()!.getFields()
  const { buySeats } = schema.getMutationType()!.getFields()
  seats!.extensions = { access: 'any' }
  seats!.resolve = (_, { id }) => (id === 'none' ? null : { id, count: 1 })
  buySeats!.extensions = { access: 'settings:write', errors: [OWN.SEAT_CHARGE_FAILED] }
  buySeats!.resolve = (_, { id, count }) => {
    if (count > 10) throw new AppError(OWN.SEAT_CHARGE_FAILED, 'The card was declined.')
    return { id, count }
  }
  return schema
}

const GET = `# Reads the seats of an agency.
query GetSeats($id: ID!) @rest(method: GET, path: "/:id/seats") { seats(id: $id) { id count } }`
const BUY = `# Buys seats.
mutation BuySeats($id: ID!, $count: Int!)
@rest(method: PUT, path: "/:id/seats", hooks: ["events"]) @rest(method: POST, path: "/:id/seats", hooks: ["events"]) {
  buySeats(id: $id, count: $count) { id count }
}`

const admitByToken: Admit = async ({ headers: { authorization = '' } }, _response, _query, requestId) => {
  const scope = /^Bearer (\S+)$/.exec(authorization)?.[1]
  if (!scope) throw new AppError(OWN.UNAUTHORIZED, 'A Bearer token is needed.')
  const viewer: Viewer = {
    accountId: 'a',
    permissions: [scope],
    held: new Set([scope]),
    actor: { kind: 'api_key', id: 't', name: 'Token' },
  }
  return { context: stubContext(requestId, viewer) }
}

const events: Hook = {
  settled: ({ context }, { body }) => {
    if (context) (body as Record<string, unknown>).event_id = 'the-event'
  },
}

let listening: Listening
let document: Json

beforeAll(async () => {
  mkdirSync(join(operations, 'fragments'))
  writeFileSync(join(operations, 'get.graphql'), GET)
  writeFileSync(join(operations, 'buy.graphql'), BUY)
  const endpoints = loadEndpoints(schemaOfSeats(), AGENCY, join(operations, 'fragments'))
  const shared = { idempotencyTtlHours: 24, requestId: requestIdOf, log: () => {} }
  const admitNobody: Admit = async () => {
    throw new AppError('MISSING_API_KEY', 'No key.')
  }
  const apis = [
    createRest({ ...shared, api: EXTERNAL, endpoints, hooks: { events }, admit: admitNobody }),
    createRest({ ...shared, api: AGENCY, endpoints, hooks: { events }, admit: admitByToken }),
  ]
  const logger = pino({ level: 'silent' })
  const web = createWeb({ logger, failures: new FailureLog(logger), trustProxy: false, apis, mount: () => {} })
  listening = await listen(web, 0, '127.0.0.1')
  document = openApiDocument(AGENCY, endpoints)
})

afterAll(async () => {
  await listening.drain(1000)
  rmSync(operations, { recursive: true, force: true })
})

async function call(method: string, path: string, { token = '', body = undefined as object | undefined } = {}) {
  const response = await fetch(`http://127.0.0.1:${listening.port}${path}`, {
    method,
    headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
    body: body && JSON.stringify(body),
  })
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  return { status: response.status, body: (await response.json()) as any, headers: response.headers }
}

const withoutId = ({ body: { error, ...rest } }: { body: Json }) => ({ ...rest, code: error.code })

describe('an API with a style of its own', () => {
  test('answers success in its envelope', async () => {
    const { status, body } = await call('GET', '/api/webhooks/agency/7/seats', { token: 'none' })
    expect([status, body]).toEqual([200, { ok: true, data: { id: '7', count: 1 } }])
  })

  test('refuses by its own credentials and codes, and knows nothing of API keys', async () => {
    const anonymous = await call('GET', '/api/webhooks/agency/7/seats?api_key=x')
    expect([anonymous.status, withoutId(anonymous)]).toEqual([401, { ok: false, code: 'UNAUTHORIZED' }])
    expect(anonymous.headers.get('x-ratelimit-limit')).toBeNull()
    expect(anonymous.headers.get('www-authenticate')).toBe('Bearer realm="agency"')
    const weak = await call('PUT', '/api/webhooks/agency/7/seats', { token: 'tags:read', body: { count: 2 } })
    expect([weak.status, withoutId(weak)]).toEqual([403, { ok: false, code: 'INVALID_SCOPE', event_id: 'the-event' }])
  })

  test('ends with the codes of its operations, and lets hooks add to its bodies', async () => {
    for (const method of ['PUT', 'POST']) {
      const options = { token: 'settings:write', body: { count: 20 } }
      const declined = await call(method, '/api/webhooks/agency/7/seats', options)
      expect(declined.status).toBe(402)
      expect(withoutId(declined)).toEqual({ ok: false, code: 'SEAT_CHARGE_FAILED', event_id: 'the-event' })
    }
    const bought = await call('PUT', '/api/webhooks/agency/7/seats', { token: 'settings:write', body: { count: 2 } })
    expect(bought.body).toEqual({ ok: true, data: { id: '7', count: 2 }, event_id: 'the-event' })
  })

  test('tells of what goes wrong below its base in its own words, and the first API of all else', async () => {
    const agency = [
      await call('GET', '/api/webhooks/agency/a/b/c'),
      await call('DELETE', '/api/webhooks/agency/7/seats'),
      await call('GET', '/API/Webhooks/Agency/a/b/c'),
    ]
    expect(agency.map(withoutId)).toEqual([
      { ok: false, code: 'NOT_FOUND' },
      { ok: false, code: 'METHOD_NOT_ALLOWED' },
      { ok: false, code: 'NOT_FOUND' },
    ])
    const others = [
      await call('GET', '/api/webhooks/agency-x'),
      await call('GET', '/'),
      await call('GET', '/external/v1/x'),
    ]
    expect(others.map(withoutId)).toEqual(others.map(() => ({ success: false, code: 'NOT_FOUND' })))
    const key = await call('GET', '/external/v1/7/seats', { token: 'settings:write' })
    expect([key.status, withoutId(key)]).toEqual([401, { success: false, code: 'MISSING_API_KEY' }])
  })

  test.each([
    ['/api/webhooks/agency/7/seats', { ok: false }],
    ['/external/v1/contacts', { success: false }],
    ['/elsewhere', { success: false }],
  ])('tells of unreadable HTTP to %s likewise', async (path, members) => {
    const text = await new Promise<string>((resolve, reject) => {
      const socket = connect(listening.port, '127.0.0.1', () => {
        socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nno colon here\r\n\r\n`)
      })
      let received = ''
      socket.on('data', (chunk) => {
        received += chunk
      })
      socket.on('end', () => resolve(received)).on('error', reject)
    })
    expect(text).toMatch(/^HTTP\/1\.1 400 /)
    expect(JSON.parse(text.slice(text.indexOf('{')))).toMatchObject({ ...members, error: { code: 'VALIDATION_ERROR' } })
  })
})

describe('its document', () => {
  test('has its base, its credentials and its headers', () => {
    expect(document.servers).toEqual([{ url: '/api/webhooks/agency' }])
    expect(document.security).toEqual([{ bearer: [] }])
    expect(Object.keys(document.components.securitySchemes)).toEqual(['bearer'])
    expect(Object.keys(document.components.headers).sort()).toEqual(['IdempotentReplayed', 'RequestId', 'RetryAfter'])
    expect(JSON.stringify(document)).not.toMatch(/RateLimit|API_KEY|INSUFFICIENT_PERMISSIONS|"success"/)
    expect(document.info.description).toContain('| `SEAT_CHARGE_FAILED` | 402 | The card was declined. |')
  })

  test('describes what it answers', async () => {
    const answers = [
      await call('GET', '/api/webhooks/agency/7/seats', { token: 'none' }),
      await call('GET', '/api/webhooks/agency/none/seats', { token: 'none' }),
      await call('GET', '/api/webhooks/agency/7/seats'),
    ]
    const ajv = createAjv()
    for (const { status, body } of answers) {
      const { schema } = document.paths['/{id}/seats'].get.responses[status].content['application/json']
      const validate = ajv.compile(closed(resolved(schema, document)))
      expect([status, validate(body), validate.errors]).toEqual([status, true, null])
    }
    const put = document.paths['/{id}/seats'].put.responses
    expect(Object.keys(put)).toEqual(expect.arrayContaining(['402', '403']))
  })
})
