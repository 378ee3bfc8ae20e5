import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { buildSchema, type GraphQLSchema } from 'graphql'
import { Query, Resolver } from 'type-graphql'
import { EXTERNAL } from '../../src/apis/external.js'
import { assembly } from '../../src/assembly.js'
import type { Context } from '../../src/database/index.js'
import { createSchema, RequestContext } from '../../src/graphql/index.js'
import { Requires } from '../../src/kit/permissions.js'
import { type Admit, type Api, createRest, type Hook, loadEndpoints, type Outcome } from '../../src/rest/index.js'
import { AppError } from '../../src/shared/errors.js'
import type { Viewer } from '../../src/shared/viewer.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { makeTag, makeTenant } from '../support/factories.js'
import { stubContext } from '../support/stub-context.js'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairlead-operations-'))
  mkdirSync(join(folder, 'operations'))
  mkdirSync(join(folder, 'fragments'))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Writes a file below the folder and returns its path as messages show it. */
function write(name: string, text: string): string {
  const path = join(folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return relative(process.cwd(), path)
}

const load = (schema: GraphQLSchema = things(), shows: Api['shows'] = {}) =>
  loadEndpoints(schema, { operations: join(folder, 'operations'), shows }, join(folder, 'fragments'))

/** A small schema of its own: the REST layer knows no domain. */
function things(): GraphQLSchema {
  const schema = buildSchema(/* GraphQL */ `
    scalar Weight
    input ThingInput {
      name: String!
      origin: String
    }
    type Thing {
      id: ID!
      name: String!
      origin: String
    }
    type ThingPage {
      items: [Thing!]!
      pagination: Pagination!
    }
    type Pagination {
      total: Int!
    }
    type Greeting {
      hello: String!
      farewell: String
    }
    type Query {
      thing(id: ID!): Thing
      things(limit: Int, weight: Weight): ThingPage!
      greeting: Greeting!
      unguarded: Thing
    }
    type Mutation {
      saveThing(id: ID!, input: ThingInput!): Thing!
    }
  `)
  const query = schema.getQueryType()!.getFields()
  const mutation = schema.getMutationType()!.getFields()
  for (const field of [query.thing!, query.things!, query.greeting!]) field.extensions = { access: 'contacts:read' }
  mutation.saveThing!.extensions = { access: 'contacts:write' }
  query.thing!.resolve = (_, { id }) => (id === 'none' ? null : { id, name: `Thing ${id}` })
  query.things!.resolve = (_, { limit }) => ({ items: [{ id: '1', name: 'One' }], pagination: { total: limit ?? 1 } })
  query.greeting!.resolve = () => ({ hello: 'Hello', farewell: null })
  mutation.saveThing!.resolve = (_, { id, input }, context: Context) => {
    if (input.name === 'odd') context.warnings.add(['input', 'name'], 'is odd', ' and was kept')
    if (input.name === 'taken') throw new AppError('DUPLICATE_ERROR', 'It is taken.')
    return { id, ...input }
  }
  return schema
}

const GOOD = `# Returns one thing.
query GetThing($id: ID!) @rest(method: GET, path: "/things/:id") {
  thing(id: $id) {
    id
  }
}
`

/** GOOD with something exchanged. */
const but = (from: string, to: string) => {
  if (!GOOD.includes(from)) throw new Error(`${from} is not in the good file`)
  return GOOD.replace(from, to)
}

const page = (rest: string, variables = '$limit: Int', args = 'limit: $limit') =>
  `# Lists things.\nquery ListThings(${variables}) @rest(method: GET, path: "/things"${rest}) {
    things(${args}) { items { id } pagination { total } } }`

const save = (rest: string) =>
  `# Saves a thing.\nmutation SaveThing($id: ID!, $name: String!) ${rest} {
    saveThing(id: $id, input: { name: $name }) { id name } }`

describe('at the start', () => {
  test('good files become endpoints', () => {
    write('operations/things/get.graphql', GOOD)
    write('operations/things/list.graphql', page(', envelope: PAGE'))
    write('operations/things/save.graphql', save('@rest(method: PUT, path: "/things/:id")'))
    write('operations/README.md', 'Not an operation.')
    const routes = load().map(({ mount }) => `${mount.method} ${mount.path}`)
    expect(routes).toEqual(['GET /things/:id', 'GET /things', 'PUT /things/:id'])
  })

  test('one file may hold several operations, each with its own word on what it does', () => {
    write('operations/things.graphql', `${GOOD}\n${page(', envelope: PAGE')}`)
    expect(load().map(({ mount, operation }) => [mount.path, operation.summary])).toEqual([
      ['/things/:id', 'Returns one thing.'],
      ['/things', 'Lists things.'],
    ])
  })

  test.each([
    ['what cannot be parsed', but('thing(id: $id) {', 'thing(id: $id {'), /Syntax Error/],
    ['an unknown field', but('    id\n', '    ident\n'), /Cannot query field "ident" on type "Thing"/],
    ['an unknown argument', but('id: $id', 'key: $id'), /Unknown argument "key"/],
    ['a variable of the wrong type', but('$id: ID!', '$id: Int!'), /Variable "\$id" of type "Int!"/],
    ['an unknown fragment', but('    id\n', '    ...Missing\n'), /Unknown fragment "Missing"/],
    ['an unknown directive', but('@rest', '@route'), /Unknown directive "@route"/],
    ['a method that does not exist', but('GET', 'FETCH'), /"FETCH" does not exist in "RestMethod"/],
    [
      'a path parameter without a variable',
      but('/things/:id', '/things/:id/parts/:part'),
      /no variable is named \$part/,
    ],
    [
      'a path parameter that may be null',
      but('$id: ID!', '$id: ID = "1"'),
      /\$id stands in the path: make it non-null/,
    ],
    ['a malformed path', but('/things/:id', 'things/:id'), /the path things\/:id is malformed/],
    ['a path with a query string', but('/things/:id', '/things/:id?a=b'), /is malformed/],
    ['a mutation on GET', save('@rest(method: GET, path: "/things/:id")'), /a mutation on GET/],
    ['a query on POST', but('GET', 'POST'), /a query on POST/],
    [
      'a permission that nothing it shows takes',
      but('"/things/:id"', '"/things/:id", needs: ["tags:read"]'),
      /needs tags:read/,
    ],
    ['PAGE on what is no page', but('"/things/:id"', '"/things/:id", envelope: PAGE'), /thing is no page/],
    [
      'several root fields outside of FIELDS',
      but('  thing(', '  greeting {\n    hello\n  }\n  thing('),
      /the envelope DATA wants one root field/,
    ],
    [
      '@spread outside of FIELDS',
      but('thing(id: $id)', 'thing(id: $id) @spread'),
      /@spread goes with the envelope FIELDS/,
    ],
    [
      '@sparse where nothing is spread',
      but('thing(id: $id)', 'thing(id: $id) @sparse'),
      /@sparse has an effect on a member of what is @spread only/,
    ],
    ['an operation that is mounted nowhere', but('@rest(method: GET, path: "/things/:id")', ''), /is not mounted/],
    ['no word on what it does', but('# Returns one thing.\n', ''), /a comment above the operation/],
    ['no name', but('GetThing', ''), /the operation needs a name/],
    [
      'no word on what its second operation does',
      `${GOOD}query Second @rest(method: GET, path: "/second") { greeting { hello } }`,
      /a comment above the operation/,
    ],
    ['no operation', '# Nothing.\nfragment Part on Thing { id }', /holds no operation/],
    [
      'a fragment at its root',
      `${but('  thing(', '  ...Root\n  thing(')}fragment Root on Query { greeting { hello } }`,
      /no fragments/,
    ],
    ['a variable that fills nothing', but('$id: ID!', '$id: ID!, $size: Int'), /"\$size" is never used/],
    [
      'a scalar without a JSON Schema',
      page(', envelope: PAGE', '$weight: Weight', 'weight: $weight'),
      /the scalar Weight has no JSON Schema/,
    ],
    [
      'a field that does not say what it requires',
      '# Nobody knows for whom.\nquery Unguarded @rest(method: GET, path: "/unguarded") { unguarded { id } }',
      /does not say what it requires/,
    ],
  ])('%s stops it, and the message names the file', (_, text, says) => {
    write(
      'operations/good.graphql',
      page(', envelope: PAGE').replaceAll('things"', 'all"').replace('ListThings', 'All'),
    )
    const file = write('operations/things/bad.graphql', text)
    expect(() => load()).toThrow(says)
    expect(() => load()).toThrow(`${file}: `)
  })

  test.each([
    ['the same path', '/things/:id'],
    ['a path that differs in the names of its parameters only', '/things/:key'],
  ])('two operations on one route stop it: %s', (_, path) => {
    const first = write('operations/a.graphql', GOOD)
    const name = path.slice('/things/:'.length)
    const other = GOOD.replace('GetThing', 'Other').replace('/things/:id', path).replaceAll('$id', `$${name}`)
    const second = write('operations/b.graphql', other)
    expect(() => load()).toThrow(`${second}: GET ${path} is taken by ${first}`)
  })

  test('two operations of one name stop it', () => {
    const first = write('operations/a.graphql', GOOD)
    const second = write('operations/b.graphql', GOOD.replace('/things', '/others'))
    expect(() => load()).toThrow(`${second}: ${first} holds an operation named GetThing too`)
  })

  test('a fault in a shared fragment names the file of the fragment, or of the operation that uses it', () => {
    const operation = write('operations/a.graphql', but('    id\n', '    ...Part\n'))
    const fragment = write('fragments/part.graphql', '# A part.\nfragment Part on Thing { nothing }')
    expect(() => load()).toThrow(`${operation}: Cannot query field "nothing"`)
    write('fragments/part.graphql', 'query NoFragment { greeting { hello } }')
    expect(() => load()).toThrow(`${fragment}: only fragments may stand here`)
    write('fragments/part.graphql', 'fragment Part on {')
    expect(() => load()).toThrow(`${fragment}: Syntax Error`)
  })

  test('a hook that does not exist stops it', () => {
    const file = write('operations/a.graphql', but('"/things/:id"', '"/things/:id", hooks: ["nobody"]'))
    const endpoints = load()
    expect(() => createRest({ ...OPTIONS, endpoints, admit: admitting() })).toThrow(
      `${file}: there is no hook named nobody`,
    )
  })

  describe('a root field of the schema', () => {
    @Resolver()
    class Unguarded {
      @Query(() => String)
      unguarded(): string {
        return ''
      }
    }

    @Resolver()
    class Misguarded {
      @Query(() => String)
      @Requires('contacts:fly' as never)
      misguarded(): string {
        return ''
      }
    }

    test.each([
      ['without @Requires', Unguarded, 'Query.unguarded does not say what it requires: add @Requires(…)'],
      ['with an unknown permission', Misguarded, 'Query.misguarded requires an unknown permission: contacts:fly'],
    ])('%s stops it', (_, resolver, says) => {
      const resolvers = [...assembly.resolvers, resolver]
      expect(() => createSchema({ ...assembly, resolvers })).toThrow(says)
    })
  })
})

const OPTIONS = {
  api: EXTERNAL,
  idempotencyTtlHours: 24,
  requestId: () => 'the-request',
  log: () => {},
}

/** Hooks are given a body that can be changed. */
const bodyOf = ({ body }: Outcome) => body as Record<string, unknown>

const VIEWER: Viewer = {
  accountId: 'a',
  permissions: ['*'],
  held: new Set(Object.keys(assembly.permissions)),
  actor: { kind: 'api_key', id: 'k', name: 'Key' },
}

function admitting(calls: string[] = []): Admit {
  return async (request) => {
    calls.push('admit')
    if (request.headers['x-api-key'] !== 'good') throw new AppError('INVALID_API_KEY', 'No.')
    return { context: stubContext('the-request', VIEWER) }
  }
}

describe('once loaded', () => {
  let server: Server | undefined

  afterEach(async () => {
    server?.closeAllConnections()
    await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)))
    server = undefined
  })

  /** Serves the folder's endpoints, and returns how to call them. */
  async function serve({
    schema = things(),
    admit = admitting(),
    hooks = {} as Record<string, Hook>,
    shows = {},
  } = {}) {
    const rest = createRest({ ...OPTIONS, endpoints: load(schema, shows), admit, hooks })
    server = createServer((request, response) => void rest.handler(request, response))
    await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    return async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: { 'X-API-Key': 'good', 'Content-Type': 'application/json', ...headers },
        body: body && JSON.stringify(body),
      })
      // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
      return [response.status, await response.json()] as [status: number, body: any]
    }
  }

  test('an operation mounted twice takes its parameters from where each mount has them', async () => {
    const mounts = `@rest(method: PUT, path: "/things/:id") @rest(method: POST, path: "/things", status: 201,
      message: "It is saved.")`
    write('operations/save.graphql', save(mounts))
    const call = await serve()
    const data = { id: '7', name: 'Seven' }
    expect(await call('PUT', '/things/7', { name: 'Seven' })).toEqual([200, { success: true, data }])
    expect(await call('POST', '/things', data)).toEqual([201, { success: true, data, message: 'It is saved.' }])
    const [status, { error }] = await call('POST', '/things', { name: 'Seven' })
    expect([status, error.details]).toEqual([400, [{ field: 'id', message: 'is required' }]])
    expect(await call('PUT', '/things/7', { ...data, id: '8' })).toEqual([
      200,
      { success: true, data, warnings: [{ field: 'id', message: 'is unknown and was ignored' }] },
    ])
  })

  test('what a service finds odd is a warning by the documented name, and a fault for a strict caller', async () => {
    write('operations/save.graphql', save('@rest(method: PUT, path: "/things/:id")').replaceAll('$name', '$title'))
    const call = await serve()
    const [status, body] = await call('PUT', '/things/1', { title: 'odd', colour: 'blue' })
    expect([status, body.warnings]).toEqual([
      200,
      [
        { field: 'title', message: 'is odd and was kept' },
        { field: 'colour', message: 'is unknown and was ignored' },
      ],
    ])
    const [strict, { error, warnings }] = await call(
      'PUT',
      '/things/1',
      { title: 'odd' },
      { Prefer: 'handling=strict' },
    )
    expect([strict, error.details, warnings]).toEqual([400, [{ field: 'title', message: 'is odd' }], undefined])
  })

  test('of details and of warnings a hundred are listed, and how many there are beside', async () => {
    write('operations/save.graphql', save('@rest(method: PUT, path: "/things/:id")'))
    const call = await serve()
    const odd = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`unknown_${i}`, 1]))
    const [, warned] = await call('PUT', '/things/1', { ...odd, name: 'odd' })
    expect([warned.warnings.length, warned.warnings_omitted]).toEqual([100, 4901])
    const [, refused] = await call('PUT', '/things/1', odd, { Prefer: 'handling=strict' })
    expect([refused.error.details.length, refused.error.details_omitted]).toEqual([100, 4901])
    expect(JSON.stringify(refused).length).toBeLessThan(65_536)
  })

  test('a variable can come from a header, and from nowhere else', async () => {
    write(
      'operations/save.graphql',
      save('@rest(method: PUT, path: "/things/:id")')
        .replace('$name: String!', '$name: String!, $origin: String @header(name: "X-Origin")')
        .replace('name: $name }', 'name: $name, origin: $origin }')
        .replace('{ id name }', '{ id name origin }'),
    )
    const call = await serve()
    const data = { id: '1', name: 'One', origin: 'here' }
    const sent = { name: 'One' }
    expect(await call('PUT', '/things/1', sent, { 'X-Origin': 'here' })).toEqual([200, { success: true, data }])
    const without = { ...data, origin: null }
    expect(await call('PUT', '/things/1', sent)).toEqual([200, { success: true, data: without }])
    expect(await call('PUT', '/things/1', { ...sent, origin: 'body' })).toEqual([
      200,
      { success: true, data: without, warnings: [{ field: 'origin', message: 'is unknown and was ignored' }] },
    ])
  })

  test('FIELDS puts each root field beside `success`, spreads what says so, and leaves out null ones but data', async () => {
    write(
      'operations/fields.graphql',
      `# Several things at once.
      query Several($id: ID!) @rest(method: GET, path: "/several/:id", envelope: FIELDS) {
        greeting @spread { hello farewell }
        data: thing(id: $id) { id }
        other: thing(id: $id) { name }
        page: things(limit: 5) { pagination { total } }
      }`,
    )
    const call = await serve()
    expect(await call('GET', '/several/1')).toEqual([
      200,
      {
        success: true,
        hello: 'Hello',
        data: { id: '1' },
        other: { name: 'Thing 1' },
        page: { pagination: { total: 5 } },
      },
    ])
    expect(await call('GET', '/several/none')).toEqual([
      200,
      { success: true, hello: 'Hello', data: null, page: { pagination: { total: 5 } } },
    ])
  })

  test('DATA without a record is 404, PAGE puts the pagination beside the items', async () => {
    write('operations/get.graphql', GOOD)
    write('operations/list.graphql', page(', envelope: PAGE'))
    const call = await serve()
    expect(await call('GET', '/things/none')).toMatchObject([404, { error: { code: 'NOT_FOUND' } }])
    const list = { success: true, data: [{ id: '1' }], pagination: { total: 9 } }
    expect(await call('GET', '/things?limit=9')).toEqual([200, list])
  })

  describe('hooks', () => {
    const writeHooked = () =>
      write('operations/save.graphql', save('@rest(method: PUT, path: "/things/:id", hooks: ["one", "two"])'))

    test('see a call before admission and after it is settled, in their order, and may change the body', async () => {
      writeHooked()
      const calls: string[] = []
      const hook = (name: string): Hook => ({
        before: ({ operation, path, requestId, context }) =>
          void calls.push(`${name} before ${operation} ${path.id} ${requestId} ${context}`),
        settled: async ({ context }, outcome) => {
          calls.push(`${name} settled ${outcome.status} ${context?.viewer.actor.name}`)
          bodyOf(outcome)[name] = `seen by ${name}`
        },
      })
      const call = await serve({ admit: admitting(calls), hooks: { one: hook('one'), two: hook('two') } })
      expect(await call('PUT', '/things/7', { name: 'Seven' })).toEqual([
        200,
        { success: true, data: { id: '7', name: 'Seven' }, one: 'seen by one', two: 'seen by two' },
      ])
      expect(calls).toEqual([
        'one before SaveThing 7 the-request undefined',
        'two before SaveThing 7 the-request undefined',
        'admit',
        'one settled 200 Key',
        'two settled 200 Key',
      ])
    })

    test('see failures too: of admission, of the input and of the operation', async () => {
      writeHooked()
      const settled: unknown[] = []
      const one: Hook = {
        settled: ({ context }, outcome) => {
          const body = bodyOf(outcome)
          settled.push([outcome.status, (body.error as { code: string }).code, context !== undefined])
          body.event_id = 'the-event'
        },
      }
      const call = await serve({ hooks: { one, two: {} } })
      const answers = [
        await call('PUT', '/things/7', { name: 'Seven' }, { 'X-API-Key': 'bad' }),
        await call('PUT', '/things/7', {}),
        await call('PUT', '/things/7', { name: 'taken' }),
      ]
      expect(settled).toEqual([
        [401, 'INVALID_API_KEY', false],
        [400, 'VALIDATION_ERROR', true],
        [409, 'DUPLICATE_ERROR', true],
      ])
      for (const [, body] of answers) expect(body).toMatchObject({ success: false, event_id: 'the-event' })
    })

    test('that refuse a call keep it from everything after them', async () => {
      writeHooked()
      const calls: string[] = []
      const one: Hook = {
        before: () => {
          throw new AppError('SERVICE_UNAVAILABLE', 'Not now.', { extra: { retryAfter: 3 } })
        },
      }
      const two: Hook = {
        before: () => void calls.push('two'),
        settled: (_, { status }) => void calls.push(`${status}`),
      }
      const call = await serve({ admit: admitting(calls), hooks: { one, two } })
      const [status, { error }] = await call('PUT', '/things/7', { name: 'Seven' })
      expect([status, error.code, error.retry_after]).toEqual([503, 'SERVICE_UNAVAILABLE', 3])
      expect(calls).toEqual(['503'])
    })
  })

  describe('beside the endpoints of the product', () => {
    let service: TestApp
    beforeAll(async () => {
      service = await startTestApp()
    })
    afterAll(() => service.stop())

    test('one more file is one more endpoint, with the permission of its field', async () => {
      cpSync(join(process.cwd(), 'schema', 'operations', 'external'), join(folder, 'operations'), { recursive: true })
      cpSync(join(process.cwd(), 'schema', 'operations', 'fragments'), join(folder, 'fragments'), { recursive: true })
      const before = load(createSchema(assembly), EXTERNAL.shows)
      write(
        'operations/labels/names.graphql',
        `# Lists the names of the tags.
        query TagNames($search: String, $limit: Int = 2 @range(min: 1, max: 3))
        @rest(method: GET, path: "/labels", envelope: PAGE) {
          tags(search: $search, limit: $limit) {
            items { label: name }
            pagination { ...Pagination }
          }
        }`,
      )
      expect(load(createSchema(assembly), EXTERNAL.shows)).toHaveLength(before.length + 1)

      const { accountId } = await makeTenant(service)
      for (const name of ['Blue', 'Green', 'Grey']) await makeTag(service.database, accountId, { name })
      let permissions = ['tags:read']
      const admit: Admit = async (_request, _response, _query, requestId) => {
        const viewer: Viewer = { ...VIEWER, accountId, permissions, held: new Set(permissions) }
        return { context: new RequestContext(requestId, { viewer }, service.database) }
      }
      const call = await serve({ schema: createSchema(assembly), admit, shows: EXTERNAL.shows })
      const [status, body] = await call('GET', '/labels?search=gr')
      expect([status, body.data]).toEqual([200, [{ label: 'Green' }, { label: 'Grey' }]])
      expect(body.pagination).toMatchObject({ page: 1, per_page: 2, total: 2 })
      const [, clamped] = await call('GET', '/labels?limit=9')
      expect(clamped.warnings).toEqual([{ field: 'limit', message: 'is outside 1 to 3; 3 was used' }])
      expect((await call('GET', '/tags'))[0]).toBe(200)

      permissions = ['contacts:read']
      const [refused, { error }] = await call('GET', '/labels')
      expect([refused, error.required_permission]).toEqual([403, 'tags:read'])
    })
  })
})
