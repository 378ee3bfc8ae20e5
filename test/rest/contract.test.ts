import {
  CONTRACT,
  type Contract,
  codesOf,
  isIdempotent,
  OPEN,
  OPEN_MEMBERS,
  orNull,
  type Shape,
  STATUS_OF,
} from '../support/contract.js'
import { type Json, OPERATIONS, type Operation, resolved } from '../support/openapi.js'

const built = OPERATIONS.map(({ object }) => object.operationId as string)
const routeOf = ({ method, path }: Operation) => `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`

/** A schema in the contract's notation. */
function shapeOf(schema: Json): Shape {
  const { anyOf, type, ...rest } = schema
  const bare = anyOf?.find((one: Json) => one.type !== 'null')
  if (anyOf?.some((one: Json) => one.type === 'null')) return nullable(shapeOf(bare))
  if (Array.isArray(type)) return nullable(shapeOf({ ...rest, anyOf, type: type.find((one) => one !== 'null') }))
  if (type === 'array') return [shapeOf(schema.items)]
  if (schema.properties) return membersOf(schema)
  return scalarOf(schema)
}

const nullable = (shape: Shape): Shape => (typeof shape === 'string' ? `${shape}?` : orNull(shape))

function membersOf({ properties, required = [] }: Json): Record<string, Shape> {
  const members = Object.entries<Json>(properties).map(([name, schema]) => [
    required.includes(name) ? name : `${name}?`,
    shapeOf(schema),
  ])
  return Object.fromEntries(members)
}

function scalarOf({ type, format, enum: choices, examples, maxLength }: Json): string {
  if (choices) return choices.join('|')
  if (format === 'date-time') return 'time'
  if (format === 'date') return 'date'
  if (examples?.includes('2026-01-31')) return 'bound' // a day or an instant
  return maxLength === undefined ? type : `${type}(${maxLength})`
}

const INT32 = [-2_147_483_648, 2_147_483_647]
const bound = (value: number | undefined) => (value === undefined || INT32.includes(value) ? '' : value)

function parameterShape(schema: Json): string {
  const { minimum, maximum, default: fallback } = schema
  const shape = schema.type === 'array' ? `[${scalarOf(schema.items)}]` : scalarOf(schema)
  const range = `${bound(minimum)}..${bound(maximum)}`
  return [shape, range === '..' ? '' : range, fallback === undefined ? '' : `=${fallback}`].filter(Boolean).join(' ')
}

/** What is sent: a member that must be there is marked, the others may be left out. */
function bodyOf({ object }: Operation): Contract['body'] {
  if (!object.requestBody) return undefined
  const { properties, required = [] } = resolved(object.requestBody.content['application/json'].schema)
  const members = Object.entries<Json>(properties).map(([name, schema]) => {
    const shape = sentShape(shapeOf(schema))
    return [name, required.includes(name) ? `${shape}!` : shape]
  })
  return Object.fromEntries(members)
}

/** Members of objects that are sent may be left out, too, so their names are not marked. */
function sentShape(shape: Shape): Shape {
  if (typeof shape === 'string') return shape
  if (Array.isArray(shape)) return shape.map(sentShape)
  return Object.fromEntries(Object.entries(shape).map(([name, of]) => [name.replace(/\?$/, ''), sentShape(of)]))
}

/** The document's operation in the contract's notation. */
function described(operation: Operation): Contract {
  const { object } = operation
  const parameters: Json[] = object.parameters ?? []
  const named = (place: string) => parameters.filter((one) => one.in === place)
  const status = Object.keys(object.responses)
    .map(Number)
    .find((one) => one < 300)!
  const { success, warnings, warnings_omitted, ...properties } = answerOf(object, status).properties
  const { required } = answerOf(object, status)
  const path = named('path').map(({ name }) => name)
  const query = named('query').map(({ name, schema }) => [name, parameterShape(schema)])
  return {
    id: object.operationId,
    route: routeOf(operation),
    permission: object['x-required-permission'],
    path: path.length > 0 ? path : undefined,
    query: query.length > 0 ? Object.fromEntries(query) : undefined,
    body: bodyOf(operation),
    status,
    answer: membersOf({ properties, required }),
  }
}

const answerOf = (object: Json, status: number): Json =>
  resolved(object.responses[status].content['application/json'].schema)

/** The pairs of status and code of the document's operation. */
function errorsOf({ object }: Operation): string[] {
  return Object.entries<Json>(object.responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([status, { content }]) => {
      const { error } = resolved(content['application/json'].schema).properties
      return error.properties.code.enum.map((code: string) => `${status} ${code}`)
    })
    .sort()
}

/** What of a contract is to be built by now. */
function withoutOpen(contract: Contract): Contract {
  const open = OPEN_MEMBERS[contract.id] ?? []
  const built = <T>(members: Record<string, T>) =>
    Object.fromEntries(Object.entries(members).filter(([name]) => !open.includes(name)))
  return { ...contract, body: contract.body && built(contract.body), answer: built(contract.answer) }
}

describe.each(OPERATIONS.map((one) => [routeOf(one), one] as const))('%s', (route, operation) => {
  const { errors, ...wanted } = CONTRACT.find((one) => one.route === route) ?? ({} as Contract)

  test('takes and answers what the contract says', () => {
    expect(described(operation)).toEqual(withoutOpen(wanted))
  })

  test('takes an Idempotency-Key when it writes', () => {
    const names = ((operation.object.parameters ?? []) as Json[]).map(({ name }) => name)
    expect(names.includes('Idempotency-Key')).toBe(isIdempotent(route))
  })

  test('can end with the errors of the contract, each with its status', () => {
    const pairs = codesOf({ ...wanted, errors }).map((code) => `${STATUS_OF[code]} ${code}`)
    expect(errorsOf(operation)).toEqual(pairs.sort())
  })
})

test('every endpoint of the contract is built or known to be open, and nothing else is built', () => {
  const wanted = CONTRACT.map(({ id }) => id).filter((id) => !OPEN.includes(id))
  expect(built.toSorted()).toEqual(wanted.toSorted())
})

test('what is open is part of the contract', () => {
  const ids = CONTRACT.map(({ id }) => id)
  expect(OPEN.filter((id) => !ids.includes(id))).toEqual([])
  for (const [id, names] of Object.entries(OPEN_MEMBERS)) {
    const { body, answer } = CONTRACT.find((one) => one.id === id)!
    expect(Object.keys({ ...body, ...answer })).toEqual(expect.arrayContaining([...names]))
  }
})

test('what is built is not open any more', () => {
  const routes = new Set(OPERATIONS.map(routeOf))
  const open = CONTRACT.filter(({ id }) => OPEN.includes(id))
  expect(open.filter(({ id, route }) => built.includes(id) || routes.has(route))).toEqual([])
})

test('no route and no id stands twice in the contract', () => {
  for (const names of [CONTRACT.map(({ id }) => id), CONTRACT.map(({ route }) => route)]) {
    expect(names.length).toBe(new Set(names).size)
  }
})
