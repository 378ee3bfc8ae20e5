import { readFileSync } from 'node:fs'
import {
  type GraphQLNamedType,
  type GraphQLOutputType,
  getNamedType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import { AGENCY } from '../../src/apis/agency.js'
import { EXTERNAL } from '../../src/apis/external.js'
import { endpointsOf } from '../../src/app.js'
import { assembly } from '../../src/assembly.js'
import { createSchema } from '../../src/graphql/index.js'
import type { Constraints } from '../../src/kit/constraints.js'
import type { Endpoint } from '../../src/rest/index.js'
import { errorKindsOf } from '../../src/rest/openapi/responses.js'
import { startTestApp } from '../support/app.js'
import { makeTenant } from '../support/factories.js'
import {
  AGENCY_API,
  answerSchema,
  closed,
  createAjv,
  EXTERNAL_API,
  faultsOfAnswer,
  type Json,
  type Operation,
  resolved,
} from '../support/openapi.js'

const schema = createSchema(assembly)
const ajv = createAjv()

/** The faults of an example, with what it is an example of. */
function faultsOf(where: string, schema: Json, example: unknown): string[] {
  const validate = ajv.compile(schema)
  return validate(example)
    ? []
    : validate.errors!.map(({ instancePath, message }) => `${where}${instancePath} ${message}`)
}

describe.each([
  { api: EXTERNAL, described: EXTERNAL_API, admission: [401, 429] },
  { api: AGENCY, described: AGENCY_API, admission: [401] },
])('the document of the $api.name API', ({ api, described: { document, operations }, admission }) => {
  const endpoints = endpointsOf(api, schema)
  const pathOf = ({ mount }: Endpoint): string => {
    const path = mount.path.replaceAll(/:(\w+)/g, '{$1}')
    return api.owner ? `/{${api.owner.name}}${path}` : path
  }
  const operationOf = (endpoint: Endpoint): Operation =>
    operations.find((one) => one.method === endpoint.mount.method && one.path === pathOf(endpoint))!
  const endpointOf = (operation: Operation): Endpoint =>
    endpoints.find((one) => one.mount.method === operation.method && pathOf(one) === operation.path)!

  test('the document is served as it is committed', async () => {
    const service = await startTestApp()
    try {
      const response = await fetch(service.origin + api.document.path)
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toMatch(/^application\/json/)
      expect(await response.json()).toEqual(document)
    } finally {
      await service.stop()
    }
  })

  test('the document holds exactly the stored operations', () => {
    const documented = operations.map(({ method, path }) => `${method} ${path}`)
    const stored = endpoints.map((endpoint) => `${endpoint.mount.method} ${pathOf(endpoint)}`)
    expect(documented.toSorted()).toEqual(stored.toSorted())
  })

  test('the version of the document is that of the package', () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
    expect(document.info.version).toBe(version)
  })

  describe.each(operations.map((one) => [`${one.method} ${one.path}`, one] as const))('%s', (_, operation) => {
    const { object } = operation
    const errors = Object.entries<Json>(object.responses).filter(([status]) => Number(status) >= 400)
    const kinds = new Map(errorKindsOf(api, endpointOf(operation)).map((kind) => [kind.code, kind]))
    const codesAt = ({ content }: Json): string[] =>
      resolved(content['application/json'].schema, document).properties.error.properties.code.enum

    test('documents each error status that a call can end with', () => {
      const inPath = endpointOf(operation).parameters.some(({ source }) => source === 'path')
      const wanted = [400, ...admission, 500, 503]
      if (object['x-required-permission']) wanted.push(403)
      if (inPath) wanted.push(404)
      if (object.requestBody) wanted.push(413, 415)
      expect(errors.map(([status]) => Number(status))).toEqual(expect.arrayContaining(wanted))
    })

    test('names the codes of each error status, with an example and the meaning of each', () => {
      for (const [status, response] of errors) {
        const codes = codesAt(response)
        expect(codes.length).toBeGreaterThan(0)
        expect(codes.map((code) => kinds.get(code)!.status)).toEqual(codes.map(() => Number(status)))
        expect(Object.keys(response.content['application/json'].examples)).toEqual(codes)
        for (const code of codes) expect(response.description).toContain(`\`${code}\`: ${kinds.get(code)!.meaning}`)
      }
    })

    test('has examples that its own schemas allow', () => {
      const faults = Object.entries<Json>(object.responses).flatMap(([status, { content }]) => {
        const { example, examples } = content['application/json']
        const all: Json = examples ?? { example: { value: example } }
        return Object.values<Json>(all).flatMap(({ value }) =>
          faultsOf(status, answerSchema(operation, status, document)!, value),
        )
      })
      for (const { name, schema, example } of (object.parameters ?? []) as Json[]) {
        if (example !== undefined) faults.push(...faultsOf(name, schema, example))
      }
      if (object.requestBody) {
        const { schema, example } = object.requestBody.content['application/json']
        expect(Object.keys(example).length).toBeGreaterThan(0)
        faults.push(...faultsOf('body', closed(resolved(schema, document)), example))
      }
      expect(faults).toEqual([])
    })
  })

  test('the defaults of parameters are values that they take', () => {
    const parameters = operations.flatMap(({ object }) => (object.parameters ?? []) as Json[])
    const defaulted = parameters.filter(({ schema }) => schema.default !== undefined)
    expect(defaulted.length > 0).toBe(api === EXTERNAL) // the other has no lists
    expect(defaulted.flatMap(({ name, schema }) => faultsOf(name, schema, schema.default))).toEqual([])
  })

  test('the shared schemas and headers have examples that they allow', () => {
    const { schemas, headers } = document.components
    const faults = Object.entries<Json>(schemas).flatMap(([name, schema]) =>
      ((schema.examples ?? []) as unknown[]).flatMap((example) =>
        faultsOf(name, closed(resolved(schema, document)), example),
      ),
    )
    for (const [name, { schema, example }] of Object.entries<Json>(headers))
      faults.push(...faultsOf(name, schema, example))
    expect(faults).toEqual([])
  })

  test('every schema, header and security scheme of the document is referred to, and every reference leads somewhere', () => {
    const references = new Set(
      [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/([^"]+)"/g)].map((m) => m[1]!),
    )
    const { schemas, headers } = document.components
    const named = [
      ...Object.keys(schemas).map((one) => `schemas/${one}`),
      ...Object.keys(headers).map((one) => `headers/${one}`),
    ]
    expect([...references].toSorted()).toEqual(named.toSorted())
  })

  describe('nullability', () => {
    const writing = endpoints.filter(({ parameters }) => parameters.some(({ source }) => source === 'body'))

    /** A field of the answer: where it is, whether GraphQL lets it be null, and its schema in the document. */
    interface Field {
      place: string
      nullable: boolean
      schema: Json | undefined
    }

    const allowsNull = (schema: Json): boolean =>
      schema.type === 'null' ||
      (Array.isArray(schema.type) && schema.type.includes('null')) ||
      (schema.anyOf ?? []).some(allowsNull)

    /** The schema without its null. */
    const bare = (schema: Json | undefined): Json | undefined =>
      schema?.anyOf?.some(allowsNull) ? schema.anyOf.find((one: Json) => !allowsNull(one)) : schema

    /** Every field below a selection, from the operation's own syntax tree. */
    function fieldsBelow(
      endpoint: Endpoint,
      type: GraphQLNamedType,
      set: SelectionSetNode,
      schema: Json | undefined,
      at: string,
    ): Field[] {
      if (!isObjectType(type)) return []
      return set.selections.flatMap((node): Field[] => {
        if (node.kind === Kind.FRAGMENT_SPREAD) {
          const fragment = endpoint.operation.document.definitions.find(
            (one) => 'name' in one && one.name?.value === node.name.value,
          )
          const below = (fragment as { selectionSet: SelectionSetNode }).selectionSet
          return fieldsBelow(endpoint, type, below, schema, at)
        }
        if (node.kind !== Kind.FIELD) throw new Error('there are only fields and fragments')
        const key = (node.alias ?? node.name).value
        const field = type.getFields()[node.name.value]!
        return fieldsOf(endpoint, field.type, node.selectionSet, schema?.properties?.[key], `${at}.${key}`)
      })
    }

    function fieldsOf(
      endpoint: Endpoint,
      type: GraphQLOutputType,
      set: SelectionSetNode | undefined,
      schema: Json | undefined,
      at: string,
    ): Field[] {
      const own: Field = { place: at, nullable: !isNonNullType(type), schema }
      const inner = isNonNullType(type) ? type.ofType : type
      if (isListType(inner)) return [own, ...fieldsOf(endpoint, inner.ofType, set, bare(schema)?.items, `${at}[]`)]
      return set ? [own, ...fieldsBelow(endpoint, getNamedType(inner), set, bare(schema), at)] : [own]
    }

    /** The root fields of an endpoint with the part of its answer's schema that shows them. */
    function fieldsOfAnswer(endpoint: Endpoint): Field[] {
      const { operation, mount } = endpoint
      const documented = operationOf(endpoint)
      const answer = answerSchema(documented, mount.status, document)!
      return operation.node.selectionSet.selections.flatMap((node) => {
        if (node.kind !== Kind.FIELD) throw new Error('the root holds only fields')
        const root = operation.roots.find(({ key }) => key === (node.alias ?? node.name).value)!
        const { data, pagination } = answer.properties
        const page = { properties: { items: data, pagination } }
        const inFields = root.spread ? answer : answer.properties[root.key]
        const schema = { DATA: data, PAGE: page, FIELDS: inFields }[mount.envelope]
        // The root itself is never null in an answer: that would be a 404.
        const fields = fieldsOf(endpoint, root.type, node.selectionSet, schema, root.key).slice(1)
        // What stands in the envelope, or in an object that is sparse, is left out instead of being null.
        const sparse = root.spread ? [root.key, ...root.sparse.map((name) => `${root.key}.${name}`)] : []
        const leavesOut = ({ place }: Field) => sparse.includes(place.slice(0, place.lastIndexOf('.')))
        return fields.map((field) => (leavesOut(field) ? { ...field, nullable: false } : field))
      })
    }

    test.each(endpoints.map((one) => [one.operation.name, one] as const))(
      '%s documents a field as nullable where GraphQL says so, and only there',
      (_, endpoint) => {
        const fields = fieldsOfAnswer(endpoint)
        expect(fields.length).toBeGreaterThan(1)
        const documented = fields.map(({ place, schema }) => ({ place, nullable: schema && allowsNull(schema) }))
        expect(documented).toEqual(fields.map(({ place, nullable }) => ({ place, nullable })))
      },
    )

    test.each(writing.map((one) => [one.operation.name, one] as const))(
      '%s documents that null may be sent where it may',
      (_, endpoint) => {
        const { parameters } = endpoint
        const { object } = operationOf(endpoint)
        const sent = parameters.filter(({ source }) => source === 'body')
        const members =
          object.requestBody && resolved(object.requestBody.content['application/json'].schema, document).properties
        const nullable = sent.filter(
          ({ type, rule }) => !isNonNullType(type) && !(rule?.extensions as Constraints | undefined)?.notNull,
        )
        const documented = sent.filter(({ name }) => allowsNull(members[name]))
        expect(documented.map(({ name }) => name)).toEqual(nullable.map(({ name }) => name))
      },
    )
  })

  describe('a generated client', () => {
    /** Every object of a document, with the way to it. */
    function* nodes(value: unknown, way: string[] = []): Generator<[string[], Json]> {
      if (typeof value !== 'object' || value === null) return
      if (!Array.isArray(value)) yield [way, value as Json]
      for (const [name, inner] of Object.entries(value)) {
        if (!name.startsWith('example')) yield* nodes(inner, [...way, name])
      }
    }
    const all = [...nodes(document)]

    test('has a type for each constant, each choice and each parameter', () => {
      const chosen = all.filter(([, node]) => 'const' in node || Array.isArray(node.enum))
      expect(chosen.length).toBeGreaterThan(operations.length)
      expect(chosen.filter(([, { type }]) => typeof type !== 'string').map(([way]) => way.join('.'))).toEqual([])
      const parameters = operations.flatMap(({ object }) => (object.parameters ?? []) as Json[])
      expect(parameters.filter(({ schema }) => typeof schema.type !== 'string' || schema.anyOf)).toEqual([])
    })

    test('has a name for each record: an object stands in the components, or is an envelope', () => {
      const objects = all.filter(([way, { properties }]) => properties && way[0] === 'paths')
      const pending = operations.filter((one) => 202 in one.object.responses)
      const inside = objects.filter(([way]) => way.at(-1) !== 'schema')
      expect(objects.length).toBe(operations.length + pending.length)
      expect(inside.map(([way]) => way.join('.'))).toEqual([])
    })

    test('knows the header by which it can have refused what would be warned of', () => {
      for (const { object } of operations) {
        expect(object.parameters).toContainEqual(expect.objectContaining({ name: 'Prefer', in: 'header' }))
      }
    })
  })
})

describe('the check that every answer of the tests goes through', () => {
  const HEADERS: Record<string, string> = {
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': 'abc-1',
    'x-ratelimit-limit': '10',
    'x-ratelimit-remaining': '9',
    'x-ratelimit-reset': '1790000000',
  }
  const TAG = { id: 'x', name: 'Hot', color: 'red', created_at: '2026-01-31T09:30:00.000Z' }
  const PAGINATION = {
    page: 1,
    per_page: 50,
    total: 1,
    total_pages: 1,
    has_next: false,
    has_prev: false,
    next_cursor: null,
  }
  const PAGE = { success: true, data: [TAG], pagination: PAGINATION }
  const failure = (code: string) => ({ success: false, error: { code, message: 'm', request_id: 'abc-1' } })

  const check = (path: string, status: number, body: Json, changes: Record<string, string | null> = {}) => {
    const headers = new Map(Object.entries({ ...HEADERS, ...changes }))
    return faultsOfAnswer('GET', path, {
      status,
      body,
      headers: { get: (name) => headers.get(name.toLowerCase()) ?? null },
    })
  }

  test.each<[string, string, number, Json]>([
    ['a page', '/tags', 200, PAGE],
    ['a path with a slash at its end and a query', '/tags/?page=1', 200, PAGE],
    ['a documented error', '/tags', 403, failure('INSUFFICIENT_PERMISSIONS')],
    ['an unknown route', '/nowhere', 404, failure('NOT_FOUND')],
    ['a path whose parameter is not UTF-8, which is no route', '/contacts/%FF', 404, failure('NOT_FOUND')],
  ])('lets %s pass', (_, path, status, body) => {
    expect(check(path, status, body)).toEqual([])
  })

  test.each<[string, string, number, Json, Record<string, string | null>?]>([
    ['an unknown member', '/tags', 200, { ...PAGE, more: 1 }],
    ['an unknown member of a record', '/tags', 200, { ...PAGE, data: [{ ...TAG, more: 1 }] }],
    ['a member that is missing', '/tags', 200, { ...PAGE, pagination: undefined }],
    ['a member of another type', '/tags', 200, { ...PAGE, pagination: { ...PAGINATION, total: '1' } }],
    ['a null that is not documented', '/tags', 200, { ...PAGE, data: [{ ...TAG, name: null }] }],
    [
      'a timestamp without milliseconds',
      '/tags',
      200,
      { ...PAGE, data: [{ ...TAG, created_at: '2026-01-31T09:30:00Z' }] },
    ],
    ['a status that is not documented', '/tags', 404, failure('NOT_FOUND')],
    ['a code of another status', '/tags', 403, failure('NOT_FOUND')],
    ['an unknown member of an error', '/tags', 403, { ...failure('INSUFFICIENT_PERMISSIONS'), stack: 'at' }],
    ['another request id in the body', '/tags', 403, failure('INSUFFICIENT_PERMISSIONS'), { 'x-request-id': 'abc-2' }],
    ['a missing header', '/tags', 200, PAGE, { 'x-ratelimit-limit': null }],
    ['a header of another type', '/tags', 200, PAGE, { 'x-ratelimit-limit': 'ten' }],
    ['an answer without a request id', '/tags', 200, PAGE, { 'x-request-id': null }],
    ['an answer that is not JSON by its type', '/tags', 200, PAGE, { 'content-type': 'text/html' }],
    ['success where there is no route', '/nowhere', 200, PAGE],
    ['another code where there is no route', '/nowhere', 404, failure('VALIDATION_ERROR')],
    ['a refused method without Allow', '/nowhere', 405, failure('METHOD_NOT_ALLOWED')],
  ])('reports %s', (_, path, status, body, headers = {}) => {
    expect(check(path, status, body, headers)).not.toEqual([])
  })
})

test('chooses among the statuses that a filter knows, though others are no fault', async () => {
  const service = await startTestApp()
  const { client } = await makeTenant(service)
  const filters = EXTERNAL_API.operations.flatMap(({ path, object }) =>
    ((object.parameters ?? []) as Json[])
      .filter(({ name }) => name === 'status')
      .map(({ schema }) => [path, schema.enum]),
  )
  expect(filters.map(([path]) => path)).toEqual(['/campaigns', '/conversations', '/instagram-agents'])
  for (const [path, values] of filters as [string, string[]][]) {
    expect(values.length).toBeGreaterThan(2)
    const { status, body } = await client.get(`${path}?status=nothing-of-the-kind`)
    expect([status, body.data]).toEqual([200, []])
  }
  await service.stop()
})
