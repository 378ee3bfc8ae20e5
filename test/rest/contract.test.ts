import { AGENCY_CONTRACT } from '../support/agency-contract.js'
import {
  type ApiContract,
  type Contract,
  EXTERNAL_CONTRACT,
  orNull,
  type Shape,
  toBeSent,
} from '../support/contract.js'
import { type Json, type Operation, resolved } from '../support/openapi.js'

const routeOf = ({ method, path }: Operation) => `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`

/** A schema in the contract's notation. */
function shapeOf(schema: Json, leaf = scalarOf): Shape {
  const { anyOf, type, ...rest } = schema
  const bare = anyOf?.find((one: Json) => one.type !== 'null')
  if (anyOf?.some((one: Json) => one.type === 'null')) return nullable(shapeOf(bare, leaf))
  if (Array.isArray(type)) return nullable(shapeOf({ ...rest, anyOf, type: type.find((one) => one !== 'null') }, leaf))
  if (type === 'array') return [shapeOf(schema.items, leaf)]
  if (schema.properties) return membersOf(schema, leaf)
  return leaf(schema)
}

const nullable = (shape: Shape): Shape => (typeof shape === 'string' ? `${shape}?` : orNull(shape))

function membersOf({ properties, required = [] }: Json, leaf = scalarOf): Record<string, Shape> {
  const members = Object.entries<Json>(properties).map(([name, schema]) => [
    required.includes(name) ? name : `${name}?`,
    shapeOf(schema, leaf),
  ])
  return Object.fromEntries(members)
}

function scalarOf({ type, format, enum: choices, const: only, examples, maxLength }: Json): string {
  if (choices) return choices.join('|')
  if (typeof only === 'string') return only
  if (format === 'date-time') return 'time'
  if (format === 'date') return 'date'
  if (examples?.includes('2026-01-31')) return 'bound' // a day or an instant
  return maxLength === undefined ? type : `${type}(${maxLength})`
}

const INT32 = [-2_147_483_648, 2_147_483_647]
const bound = (value: number | undefined) => (value === undefined || INT32.includes(value) ? '' : value)

function rangeOf({ minimum, maximum }: Json): string {
  const range = `${bound(minimum)}..${bound(maximum)}`
  return range === '..' ? '' : range
}

function parameterShape(schema: Json): string {
  const { default: fallback } = schema
  const shape = schema.type === 'array' ? `[${scalarOf(schema.items)}]` : scalarOf(schema)
  return [shape, rangeOf(schema), fallback === undefined ? '' : `=${fallback}`].filter(Boolean).join(' ')
}

/** What is sent: a member that must be there is marked, the others may be left out. */
function bodyOf({ object }: Operation, document: Json): Contract['body'] {
  if (!object.requestBody) return undefined
  const { properties, required = [] } = resolved(object.requestBody.content['application/json'].schema, document)
  const members = Object.entries<Json>(properties).map(([name, schema]) => {
    const shape = sentShape(shapeOf(schema, inRange))
    return [name, required.includes(name) ? demanded(shape) : shape]
  })
  return Object.fromEntries(members)
}

const demanded = (shape: Shape): Shape => (typeof shape === 'string' ? `${shape}!` : toBeSent(shape))

/** What a number that is sent may be, where both ends are narrower than its type. */
function inRange(schema: Json): string {
  const both = [schema.minimum, schema.maximum].every((one) => bound(one) !== '')
  return [scalarOf(schema), both ? rangeOf(schema) : ''].filter(Boolean).join(' ')
}

/** Members of objects that are sent may be left out, too, so their names are not marked. */
function sentShape(shape: Shape): Shape {
  if (typeof shape === 'string') return shape
  if (Array.isArray(shape)) return shape.map(sentShape)
  return Object.fromEntries(Object.entries(shape).map(([name, of]) => [name.replace(/\?$/, ''), sentShape(of)]))
}

/** The document's operation in the contract's notation. */
function described(operation: Operation, { api: { document }, envelope }: ApiContract): Contract {
  const { object } = operation
  const parameters: Json[] = object.parameters ?? []
  const named = (place: string) => parameters.filter((one) => one.in === place)
  const answerOf = (status: number): Record<string, Shape> => {
    const { properties, required } = resolved(object.responses[status].content['application/json'].schema, document)
    const { [envelope]: _, warnings, warnings_omitted, ...beside } = properties
    return membersOf({ properties: beside, required })
  }
  const statuses = Object.keys(object.responses).map(Number)
  const status = statuses.find((one) => one < 300)!
  const path = named('path').map(({ name }) => name)
  const query = named('query').map(({ name, schema }) => [name, parameterShape(schema)])
  return {
    id: object.operationId,
    route: routeOf(operation),
    permission: object['x-required-permission'],
    path: path.length > 0 ? path : undefined,
    query: query.length > 0 ? Object.fromEntries(query) : undefined,
    body: bodyOf(operation, document),
    status,
    answer: answerOf(status),
    ...(statuses.includes(202) && { later: answerOf(202) }),
  }
}

/** The pairs of status and code of the document's operation. */
function errorsOf({ object }: Operation, { api: { document } }: ApiContract): string[] {
  return Object.entries<Json>(object.responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([status, { content }]) => {
      const { error } = resolved(content['application/json'].schema, document).properties
      return error.properties.code.enum.map((code: string) => `${status} ${code}`)
    })
    .sort()
}

/** What of a contract is to be built by now. */
function withoutOpen(contract: Contract, { openMembers }: ApiContract): Contract {
  const open = openMembers[contract.id] ?? []
  const built = <T>(members: Record<string, T>, within = ''): Record<string, T> => {
    const left = Object.entries(members).filter(([name]) => !open.includes(within + name))
    const isObject = (one: T) => typeof one === 'object' && one !== null && !Array.isArray(one)
    return Object.fromEntries(
      left.map(([name, one]) => [name, isObject(one) ? (built(one as Record<string, T>, `${name}.`) as T) : one]),
    )
  }
  return { ...contract, body: contract.body && built(contract.body), answer: built(contract.answer) }
}

describe.each([
  ['external', EXTERNAL_CONTRACT],
  ['agency', AGENCY_CONTRACT],
])('%s API', (_, contract) => {
  const { endpoints, open, openMembers, codesOf, statusOf, isIdempotent } = contract
  const { operations } = contract.api
  const built = operations.map(({ object }) => object.operationId as string)

  describe.each(operations.map((one) => [routeOf(one), one] as const))('%s', (route, operation) => {
    const { errors, ...wanted } = endpoints.find((one) => one.route === route) ?? ({} as Contract)

    test('takes and answers what the contract says', () => {
      expect(described(operation, contract)).toEqual(withoutOpen(wanted, contract))
    })

    test('takes an Idempotency-Key when it writes', () => {
      const names = ((operation.object.parameters ?? []) as Json[]).map(({ name }) => name)
      expect(names.includes('Idempotency-Key')).toBe(isIdempotent(route))
    })

    test('can end with the errors of the contract, each with its status', () => {
      const pairs = codesOf({ ...wanted, errors }).map((code) => `${statusOf[code]} ${code}`)
      expect(errorsOf(operation, contract)).toEqual(pairs.sort())
    })
  })

  test('every endpoint of the contract is built or known to be open, and nothing else is built', () => {
    const wanted = endpoints.map(({ id }) => id).filter((id) => !open.includes(id))
    expect(built.toSorted()).toEqual(wanted.toSorted())
  })

  test('what is open is part of the contract', () => {
    const ids = endpoints.map(({ id }) => id)
    expect(open.filter((id) => !ids.includes(id))).toEqual([])
    for (const [id, names] of Object.entries(openMembers)) {
      const { body, answer } = endpoints.find((one) => one.id === id)!
      const inner = Object.entries(answer).flatMap(([outer, one]) =>
        typeof one === 'object' ? Object.keys(one).map((name) => `${outer}.${name}`) : [],
      )
      expect([...Object.keys({ ...body, ...answer }), ...inner]).toEqual(expect.arrayContaining([...names]))
    }
  })

  test('what is built is not open any more', () => {
    const routes = new Set(operations.map(routeOf))
    const unbuilt = endpoints.filter(({ id }) => open.includes(id))
    expect(unbuilt.filter(({ id, route }) => built.includes(id) || routes.has(route))).toEqual([])
  })

  test('no route and no id stands twice in the contract', () => {
    for (const names of [endpoints.map(({ id }) => id), endpoints.map(({ route }) => route)]) {
      expect(names.length).toBe(new Set(names).size)
    }
  })
})
