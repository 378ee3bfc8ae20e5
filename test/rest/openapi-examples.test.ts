import { exampleId } from '../../src/kit/documentation.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { makeTenant } from '../support/factories.js'
import { DESCRIBED_APIS, DOCUMENT, type Json, OPERATIONS, resolved } from '../support/openapi.js'

/** An example with where the document has it. */
interface Shown {
  where: string
  value: unknown
}

const contentOf = ({ content }: Json): Json => content['application/json']
const valuesOf = ({ example, examples }: Json): unknown[] =>
  examples ? Object.values<Json>(examples).map(({ value }) => value) : [example]

/** What the document shows of an operation: its body, its answers and its parameters. */
function shownBy({ method, path, object }: (typeof OPERATIONS)[number]): Shown[] {
  const answers = Object.entries<Json>(object.responses).flatMap(([status, response]) =>
    valuesOf(contentOf(response)).map((value) => ({ where: `${method} ${path} ${status}`, value })),
  )
  const body = object.requestBody
    ? [{ where: `${method} ${path} body`, value: contentOf(object.requestBody).example }]
    : []
  const parameters = ((object.parameters ?? []) as Json[])
    .filter(({ example }) => example !== undefined)
    .map(({ name, example }) => ({ where: `${method} ${path} ${name}`, value: { [name]: example } }))
  return [...answers, ...body, ...parameters]
}

const components: Shown[] = DESCRIBED_APIS.flatMap(({ document }) =>
  Object.entries<Json>(document.components.schemas).flatMap(([name, { examples = [] }]) =>
    (examples as unknown[]).map((value) => ({ where: name, value })),
  ),
)
/** The documents of all APIs tell one story. */
const operations = DESCRIBED_APIS.flatMap((api) => api.operations)
const all = [...operations.flatMap(shownBy), ...components]

/** Every object in an example, with where it is. */
function objectsIn({ where, value }: Shown): { where: string; object: Json }[] {
  if (Array.isArray(value)) return value.flatMap((one, i) => objectsIn({ where: `${where}[${i}]`, value: one }))
  if (typeof value !== 'object' || value === null) return []
  const inside = Object.entries(value).flatMap(([name, one]) => objectsIn({ where: `${where}.${name}`, value: one }))
  return [{ where, object: value as Json }, ...inside]
}

const objects = all.flatMap(objectsIn)
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

test('every endpoint has an example of its body, of its success and of each of its errors', () => {
  for (const { object } of operations) {
    if (object.requestBody) expect(Object.keys(contentOf(object.requestBody).example)).not.toEqual([])
    for (const response of Object.values<Json>(object.responses)) {
      const shown = valuesOf(contentOf(response)) as Json[]
      expect(shown.length).toBeGreaterThan(0)
      for (const one of shown) expect(Object.keys(one).length).toBeGreaterThan(1)
    }
  }
})

test('no example holds the word of a placeholder', () => {
  const texts = objects.flatMap(({ where, object }) =>
    Object.entries(object).flatMap(([name, value]) =>
      [value].flat().flatMap((one) => (typeof one === 'string' ? [[`${where}.${name}`, one] as const] : [])),
    ),
  )
  expect(texts.length).toBeGreaterThan(500)
  const values = texts.filter(([where]) => !where.endsWith('.field')) // what a parameter is called
  const placeholders = values.filter(([, text]) => /^(text|string|foo|bar|abc|test|lorem.*|x+)?$/i.test(text))
  expect(placeholders).toEqual([])
})

test('an object does not show the same number in all its fields', () => {
  const dull = objects.filter(({ object }) => {
    const numbers = Object.values(object).filter((value) => typeof value === 'number')
    return numbers.length > 2 && new Set(numbers).size === 1
  })
  expect(dull).toEqual([])
})

test('every id is a uuid v7', () => {
  const ids = objects.flatMap(({ where, object }) =>
    Object.entries(object).flatMap(([name, value]) =>
      (name === 'id' || name.endsWith('_id')) && name !== 'request_id' && value !== null
        ? [{ where, name, value }]
        : [],
    ),
  )
  expect(ids.length).toBeGreaterThan(100)
  expect(ids.filter(({ value }) => !UUID_V7.test(value))).toEqual([])
})

/** What an id is said to be called: by the record itself, and by whatever refers to it. */
function namesOf(): Map<string, Set<string>> {
  const names = new Map<string, Set<string>>()
  const say = (id: unknown, label: string, name: unknown) => {
    if (typeof id !== 'string' || typeof name !== 'string') return
    names.set(id, (names.get(id) ?? new Set()).add(`${label} ${name}`))
  }
  for (const { object } of objects) {
    for (const label of ['name', 'email', 'title', 'company', 'phone', 'username']) {
      if ('profile_url' in object && label === 'title') continue
      say(object.id, label, object[label])
      for (const [key, id] of Object.entries(object)) {
        if (key.endsWith('_id')) say(id, label, object[`${key.slice(0, -3)}_${label}`])
      }
    }
  }
  return names
}

test('an id is one record, with one name, wherever it appears', () => {
  const twice = [...namesOf()].filter(([, said]) => {
    const labels = [...said].map((one) => one.split(' ', 1)[0])
    return new Set(labels).size < labels.length
  })
  expect(namesOf().size).toBeGreaterThan(10)
  expect(twice).toEqual([])
})

test('what has an id of its own shares it with no record of another kind', () => {
  const kinds = new Map<string, Set<string>>()
  for (const { object } of objects) {
    for (const [key, id] of Object.entries(object)) {
      if (typeof id !== 'string' || !key.endsWith('_id') || key === 'request_id' || key === 'existing_id') continue
      const kind = key.replace(/_id$/, '').replace(/^(owner|assigned|from|to)_/, '')
      kinds.set(id, (kinds.get(id) ?? new Set()).add(kind))
    }
  }
  expect(kinds.size).toBeGreaterThan(8)
  expect([...kinds].filter(([, said]) => said.size > 1)).toEqual([])
})

test('dates are in order: nothing happens to a record before it is there, and no page is beyond its list', () => {
  const early = objects.filter(({ object }) => {
    const times = Object.entries(object).filter(([name, value]) => name.endsWith('_at') && value !== null)
    return object.created_at && times.some(([, at]) => at < object.created_at && at !== object.sent_at)
  })
  expect(early).toEqual([])
  for (const { object } of objects) {
    if (object.total_pages === undefined) continue
    expect(object.total_pages).toBe(Math.ceil(object.total / object.per_page))
    expect(object.has_next).toBe(object.page < object.total_pages)
    expect(object.has_prev).toBe(object.page > 1)
    expect(object.next_cursor !== null).toBe(object.has_next)
  }
})

test('a report adds up', () => {
  const answer = (path: string): Json => contentOf(DOCUMENT.paths[path].get.responses[200]).example
  const { data: summary } = answer('/reports/sales-summary')
  const [{ stages }] = answer('/reports/funnel').data
  const sellers = answer('/reports/sellers').data as Json[]
  const sum = (list: Json[], name: string) => list.reduce((total, one) => total + one[name], 0)
  const open = stages.filter((stage: Json) => !stage.is_won_stage && !stage.is_loss_stage)
  expect(sum(open, 'count')).toBe(summary.open.count)
  expect(sum(open, 'value')).toBeCloseTo(summary.open.value, 2)
  expect(sum(sellers, 'open_count')).toBe(summary.open.count)
  expect(sum(sellers, 'won_count')).toBe(summary.won.count)
  expect(sum(sellers, 'lost_count')).toBe(summary.lost.count)
  expect(sum(sellers, 'revenue')).toBeCloseTo(summary.won.value, 2)
  expect((100 * summary.won.count) / (summary.won.count + summary.lost.count)).toBeCloseTo(summary.win_rate, 2)
})

/** The examples of an operation's errors of a status, as the members of `error` without the request's id. */
function errorOf({ object }: (typeof OPERATIONS)[number], status: number, code: string): Json {
  const { request_id, ...members } = contentOf(object.responses[status]).examples[code].value.error
  return members
}

/** The example of a body without what refers to other records. */
function bodyOf({ object }: (typeof OPERATIONS)[number]): Json {
  if (!object.requestBody) return {}
  const { example, schema } = contentOf(object.requestBody)
  const { required = [] } = resolved(schema)
  const isOfOthers = (name: string) => name === 'tags' || (name.endsWith('_id') && !required.includes(name))
  return Object.fromEntries(Object.entries(example as Json).filter(([name]) => !isOfOthers(name)))
}

describe('what the service says is what the example says', () => {
  let service: TestApp
  let key: string
  beforeAll(async () => {
    service = await startTestApp()
    key = (await makeTenant(service)).key
  })
  afterAll(() => service.stop())

  test.each(OPERATIONS.map((one) => [`${one.method} ${one.path}`, one] as const))('%s', async (_, operation) => {
    const { method, path, object } = operation
    const call = async (body: Json, headers: Record<string, string>, query = '') => {
      const response = await fetch(`${service.base}${path.replace('{id}', exampleId('nobody'))}${query}`, {
        method,
        headers: { ...(object.requestBody && { 'content-type': 'application/json' }), ...headers },
        ...(object.requestBody && { body: JSON.stringify(body) }),
      })
      const { request_id, ...members } = ((await response.json()) as Json).error
      return members
    }
    const keyed = { 'x-api-key': key }

    const invalid = errorOf(operation, 400, 'VALIDATION_ERROR')
    const [{ field, message }] = invalid.details
    const body = bodyOf(operation)
    const faulty = field in body ? { ...body, [field]: message === 'is required' ? undefined : 'x' } : {}
    const strict = message === 'is unknown' ? { ...keyed, prefer: 'handling=strict' } : keyed
    expect(await call(faulty, strict, field in body || message === 'is required' ? '' : `?${field}=x`)).toEqual(invalid)

    expect(await call({}, {})).toEqual(errorOf(operation, 401, 'MISSING_API_KEY'))
    expect(await call({}, { 'x-api-key': 'unknown' })).toEqual(errorOf(operation, 401, 'INVALID_API_KEY'))
    // A move names a stage, and one that is not there is told before.
    if (path.includes('{id}') && method !== 'PATCH') {
      const needed = (object.parameters as Json[]).filter(({ in: place, required }) => place === 'query' && required)
      const query =
        needed.length > 0 ? `?${needed.map(({ name, example }) => `${name}=${example ?? 'x'}`).join('&')}` : ''
      expect(await call(body, keyed, query)).toEqual(errorOf(operation, 404, 'NOT_FOUND'))
    }
    if (object.requestBody) {
      const told = await call({}, { ...keyed, 'content-type': 'text/plain' })
      expect(told).toEqual(errorOf(operation, 415, 'UNSUPPORTED_MEDIA_TYPE'))
    }
  })

  test('a key that lacks the permission is told the one that the example names', async () => {
    const { client } = await makeTenant(service, { permissions: ['tags:write'] })
    for (const operation of OPERATIONS.filter(({ method, path }) => method === 'GET' && path !== '/')) {
      const { request_id, ...members } = (await client.get(operation.path.replace('{id}', exampleId('nobody')))).body
        .error
      expect(members).toEqual(errorOf(operation, 403, 'INSUFFICIENT_PERMISSIONS'))
    }
  })

  test('a duplicate and a spent key are told as the examples tell them', async () => {
    const { client } = await makeTenant(service, { rateLimit: 2 })
    const contacts = OPERATIONS.find(({ method, path }) => method === 'POST' && path === '/contacts')!
    await client.post('/contacts', bodyOf(contacts))
    const { error } = (await client.post('/contacts', bodyOf(contacts))).body
    const told = errorOf(contacts, 409, 'DUPLICATE_ERROR')
    expect({ ...error, details: [{ ...error.details[0], existing_id: '' }], request_id: '' }).toEqual({
      ...told,
      details: [{ ...told.details[0], existing_id: '' }],
      request_id: '',
    })
    const spent = (await client.get('/contacts')).body.error
    const shown = errorOf(contacts, 429, 'RATE_LIMIT_EXCEEDED')
    const alike = (text: string) => text.replaceAll(/\d+/g, 'n')
    expect(Object.keys(spent).toSorted()).toEqual([...Object.keys(shown), 'request_id'].toSorted())
    expect(alike(spent.message)).toBe(alike(shown.message))
  })
})
