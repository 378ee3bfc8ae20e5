import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildSchema, type GraphQLInputObjectType, type GraphQLObjectType } from 'graphql'
import pino from 'pino'
import { createWeb, FailureLog, type Listening, listen, requestIdOf } from '../../src/http/index.js'
import { compileInputCheck } from '../../src/kit/check-input.js'
import {
  type Admit,
  type Api,
  createRest,
  type Done,
  type Journal,
  loadEndpoints,
  openApiDocument,
} from '../../src/rest/index.js'
import { AppError, Deferred, errorKinds, type Fault, invalid } from '../../src/shared/errors.js'
import type { Viewer } from '../../src/shared/viewer.js'
import { closed, createAjv, type Json, resolved } from '../support/openapi.js'
import { stubContext } from '../support/stub-context.js'

const OWN = errorKinds({
  UNAUTHORIZED: { status: 401, meaning: 'The token is bad.', remedy: 'Send a good one.' },
  MISSING_FIELDS: { status: 400, meaning: 'A mandatory field is missing.', remedy: 'Send it.' },
  INVALID_SIZE: { status: 400, meaning: 'The size is wrong.', remedy: 'Send another.' },
  TOO_LATE: { status: 409, meaning: 'It is too late.', remedy: 'Come earlier.' },
})

const operations = mkdtempSync(join(tmpdir(), 'fairlead-booked-'))

/** An API whose paths begin with its owner, and whose writes are booked before they are carried out. */
const API: Api = {
  name: 'booked',
  base: '/api/booked',
  operations,
  success: { ok: true },
  failure: { ok: false },
  renamed: {},
  inputErrors: [
    { error: OWN.MISSING_FIELDS, missing: true },
    { error: OWN.INVALID_SIZE, field: 'size' },
  ],
  owner: { name: 'shop', description: 'The shop.', example: 'one' },
  booked: { name: 'entry_id', description: 'The entry of the call.' },
  challenge: 'Bearer',
  admissionErrors: [OWN.UNAUTHORIZED],
  shows: {},
  document: {
    path: '/openapi/booked.json',
    title: 'Booked',
    description: 'Books.',
    info: { license: { name: 'MIT', identifier: 'MIT' } },
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    callerHeaders: {},
  },
}

function schemaOfOrders() {
  const schema = buildSchema(/* GraphQL */ `
    input Size { width: Int height: Int }
    type Order { id: ID! name: String! }
    type Query { order(id: ID!): Order }
    type Mutation { placeOrder(name: String!, size: Size, secret: Boolean): Order! cancelOrder(id: ID!): Order! }
  `)
  const named = schema.getType('Order') as GraphQLObjectType
  named.getFields().name!.extensions = { example: 'good' }
  const { order } = schema.getQueryType()!.getFields()
  const { placeOrder, cancelOrder } = schema.getMutationType()!.getFields()
  order!.extensions = { access: 'any' }
  order!.resolve = (_, { id }) => ({ id, name: 'read' })
  const size = schema.getType('Size') as GraphQLInputObjectType
  size.extensions = { closed: true }
  for (const field of Object.values(size.getFields())) field.extensions = { minimum: 0, maximum: 9, notNull: true }
  placeOrder!.args.find(({ name }) => name === 'secret')!.extensions = { access: 'orders:secret' }
  placeOrder!.extensions = { access: 'orders:write', errors: [OWN.TOO_LATE] }
  cancelOrder!.extensions = { access: 'orders:write' }
  cancelOrder!.resolve = (_, { id }) => ({ id, name: 'cancelled' })
  const check = compileInputCheck(placeOrder!.args)
  placeOrder!.resolve = (_, args) => {
    const faults: Fault[] = []
    const { name } = check(args, faults, { demanded: [], dropped: [] }) as { name: string }
    if (faults.length > 0) throw invalid(faults)
    if (name === 'late') throw new AppError(OWN.TOO_LATE, 'It is too late.', { extra: { retryAfter: 7 } })
    if (name === 'slow') throw new Deferred()
    return { id: name, name }
  }
  return schema
}

const PLACE = `# Places an order.
mutation PlaceOrder($name: String!, $size: Size, $secret: Boolean)
@rest(method: PUT, path: "/orders") @rest(method: POST, path: "/orders", status: 201) {
  placeOrder(name: $name, size: $size, secret: $secret) { id name }
}`
const CANCEL = `# Cancels an order.
mutation CancelOrder($id: ID!) @rest(method: DELETE, path: "/orders/:id") { cancelOrder(id: $id) { id name } }`
const READ = `# Reads an order.
query ReadOrder($id: ID!) @rest(method: GET, path: "/orders/:id") { order(id: $id) { id name } }`

const admit: Admit = async ({ headers: { authorization = '' } }, _response, _query, requestId, _counted, path) => {
  const [shop, ...held] = authorization.replace('Bearer ', '').split(',')
  if (shop !== path!.shop) throw new AppError(OWN.UNAUTHORIZED, 'This is another shop.')
  const viewer: Viewer = {
    accountId: 'a',
    permissions: held,
    held: new Set(held),
    actor: { kind: 'api_key', id: 't', name: 'T' },
  }
  return { context: stubContext(requestId, viewer) }
}

/** What was booked: each call with what became of it. */
let book: { operation: string; key?: string; hash: string; done: Done }[] = []
const journal: Journal = {
  async book({ operation, key, requestHash }, work) {
    const hash = requestHash.toString('hex')
    const known = key === undefined ? undefined : book.find((one) => one.key === key)
    if (known && known.hash !== hash) throw new AppError('IDEMPOTENCY_KEY_REUSED', 'It was another call.')
    if (known)
      return { entry: 'known', outcome: { status: known.done.status, body: bodyOf(known.done) }, replayed: true }
    const done = await work()
    book.push({ operation, key, hash, done })
    return { entry: `entry ${book.length}`, outcome: done, replayed: false }
  },
}
const bodyOf = ({ body, failure }: Done) =>
  failure ? { error: failure } : { data: (body as Record<string, unknown>).data }

let listening: Listening
let document: Json

beforeAll(async () => {
  mkdirSync(join(operations, 'fragments'))
  writeFileSync(join(operations, 'place.graphql'), PLACE)
  writeFileSync(join(operations, 'cancel.graphql'), CANCEL)
  writeFileSync(join(operations, 'read.graphql'), READ)
  const endpoints = loadEndpoints(schemaOfOrders(), API, join(operations, 'fragments'))
  const shared = { idempotencyTtlHours: 24, requestId: requestIdOf, log: () => {} }
  const apis = [createRest({ ...shared, api: API, endpoints, admit, journal })]
  const logger = pino({ level: 'silent' })
  listening = await listen(
    createWeb({ logger, failures: new FailureLog(logger), trustProxy: false, apis, mount: () => {} }),
    0,
    '127.0.0.1',
  )
  document = openApiDocument(API, endpoints)
})

afterAll(async () => {
  await listening.drain(1000)
  rmSync(operations, { recursive: true, force: true })
})

beforeEach(() => {
  book = []
})

async function call(method: string, path: string, token: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`http://127.0.0.1:${listening.port}/api/booked${path}`, {
    method,
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}`, ...headers },
    body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
  })
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  return { status: response.status, body: (await response.json()) as any, headers: response.headers }
}

const ORDERS = '/one/orders'
const TOKEN = 'one,orders:write'

describe('an API whose writes are booked', () => {
  test('tells of the entry with success, failure and what is not done yet', async () => {
    const [good, late, slow] = [
      await call('POST', ORDERS, TOKEN, { name: 'good' }),
      await call('PUT', ORDERS, TOKEN, { name: 'late' }),
      await call('PUT', ORDERS, TOKEN, { name: 'slow' }),
    ]
    expect([good.status, good.body]).toEqual([
      201,
      { ok: true, entry_id: 'entry 1', data: { id: 'good', name: 'good' } },
    ])
    expect([late.status, late.headers.get('retry-after')]).toEqual([409, '7'])
    expect(late.body).toMatchObject({ ok: false, entry_id: 'entry 2', error: { code: 'TOO_LATE', retry_after: 7 } })
    expect([slow.status, slow.body]).toEqual([202, { ok: true, entry_id: 'entry 3', data: { status: 'pending' } }])
    expect(book.map(({ done }) => [done.status, done.deferred ?? false, done.error?.code])).toEqual([
      [201, false, undefined],
      [409, false, 'TOO_LATE'],
      [202, true, undefined],
    ])
  })

  test('books no read', async () => {
    const { body } = await call('GET', `${ORDERS}/7`, 'one')
    expect(body).toEqual({ ok: true, data: { id: '7', name: 'read' } })
    expect(book).toEqual([])
  })

  test('answers a repeat from the books, whatever the method, and says so; warnings are those of the repeat', async () => {
    const key = { 'Idempotency-Key': 'k' }
    const first = await call('PUT', ORDERS, TOKEN, { name: 'good' }, key)
    const again = await call('PUT', ORDERS, TOKEN, { name: 'good' }, key)
    expect(again.body).toEqual({ ...first.body, entry_id: 'known' })
    expect([first, again].map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true'])
    const gone = [1, 2].map(() => call('DELETE', `${ORDERS}/7`, TOKEN, undefined, { 'Idempotency-Key': 'd' }))
    expect((await Promise.all(gone)).map(({ status }) => status)).toEqual([200, 200])
    await call('PUT', ORDERS, TOKEN, { name: 'late', colour: 1 }, { 'Idempotency-Key': 'l' })
    const late = await call('PUT', ORDERS, TOKEN, { name: 'late', colour: 1 }, { 'Idempotency-Key': 'l' })
    expect(late.body).toMatchObject({ ok: false, error: { code: 'TOO_LATE' }, warnings: [{ field: 'colour' }] })
    expect(late.body.warnings).toHaveLength(1)
    const reused = await call('PUT', ORDERS, TOKEN, { name: 'other' }, key)
    expect([reused.status, reused.body.entry_id]).toEqual([422, undefined])
    expect(book.filter(({ operation }) => operation === 'PlaceOrder')).toHaveLength(2)
  })

  test('books what is refused for its inputs, and nothing that comes before them', async () => {
    const refused = await call('PUT', ORDERS, TOKEN, {})
    expect([refused.status, refused.body.entry_id, refused.body.error.code]).toEqual([400, 'entry 1', 'MISSING_FIELDS'])
    const unbooked = [
      await call('PUT', '/two/orders', TOKEN, { name: 'good' }),
      await call('PUT', ORDERS, 'one', { name: 'good' }),
      await call('PUT', ORDERS, TOKEN, '{'),
      await call('PUT', ORDERS, TOKEN, { secret: true }),
      await call('PUT', ORDERS, TOKEN, { name: 'good' }, { 'Idempotency-Key': 'two words' }),
      await call('PATCH', ORDERS, TOKEN, { name: 'good' }),
    ]
    expect(unbooked.map(({ status, body }) => [status, body.entry_id])).toEqual(
      [401, 403, 400, 403, 400, 405].map((status) => [status, undefined]),
    )
    expect(book).toHaveLength(1)
  })

  test.each<[string, unknown, string | undefined]>([
    ['nothing', {}, 'MISSING_FIELDS'],
    ['null', { name: null }, 'MISSING_FIELDS'],
    ['an empty name', { name: ' ' }, 'MISSING_FIELDS'],
    ['a name of another type', { name: 5 }, 'VALIDATION_ERROR'],
    ['a missing name and a wrong size', { size: 7 }, 'MISSING_FIELDS'],
    ['a size of another type', { name: 'good', size: 7 }, 'INVALID_SIZE'],
    ['an unknown member of the size', { name: 'good', size: { depth: 1 } }, 'INVALID_SIZE'],
    ['null in the size', { name: 'good', size: { width: null } }, 'INVALID_SIZE'],
    ['a text in the size', { name: 'good', size: { width: '5' } }, 'INVALID_SIZE'],
    ['a size out of range', { name: 'good', size: { width: 10 } }, 'INVALID_SIZE'],
    ['a wrong name and a wrong size', { name: 5, size: 7 }, 'INVALID_SIZE'],
    ['a right size', { name: 'good', size: { width: 9 } }, undefined],
  ])('has its own codes for faults of inputs: %s', async (_, body, code) => {
    const answer = await call('PUT', ORDERS, TOKEN, body)
    expect([answer.status, answer.body.error?.code]).toEqual([code ? 400 : 200, code])
    for (const detail of answer.body.error?.details ?? [])
      expect(Object.keys(detail).sort()).toEqual(['field', 'message'])
  })
})

describe('its document', () => {
  test('has the owner in every path, and the entry wherever a call is booked', async () => {
    expect(Object.keys(document.paths)).toEqual(['/{shop}/orders', '/{shop}/orders/{id}'])
    const { post } = document.paths['/{shop}/orders']
    const { get, delete: remove } = document.paths['/{shop}/orders/{id}']
    expect(post.parameters.map(({ name }: Json) => name)).toEqual(['shop', 'Prefer', 'Idempotency-Key'])
    expect(remove.parameters.map(({ name }: Json) => name)).toContain('Idempotency-Key')
    expect(Object.keys(post.responses)).toEqual(expect.arrayContaining(['201', '202', '400', '409']))
    expect(post.description).toContain('`secret` needs `orders:secret` too.')
    const ajv = createAjv()
    for (const body of [{ name: 'good' }, { name: 'slow' }, { name: 'late' }, {}]) {
      const answer = await call('POST', ORDERS, TOKEN, body)
      answer.body.entry_id = '0198f2f4-8c1e-7d35-9b1a-5a7c1e0f2d43'
      const { schema } = post.responses[answer.status].content['application/json']
      const validate = ajv.compile(closed(resolved(schema, document)))
      expect([validate(answer.body), validate.errors]).toEqual([true, null])
    }
    expect(JSON.stringify(get.responses['200'])).not.toContain('entry_id')
  })
})
