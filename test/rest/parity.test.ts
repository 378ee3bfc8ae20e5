import { execute, print } from 'graphql'
import { EXTERNAL } from '../../src/apis/external.js'
import { endpointsOf } from '../../src/app.js'
import { assembly } from '../../src/assembly.js'
import { createSchema, RequestContext } from '../../src/graphql/index.js'
import type { Endpoint } from '../../src/rest/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { callWith, nameOf, ownIds, type Variables } from '../support/calls.js'
import type { Answer } from '../support/client.js'
import { fixtureKey, idSlots, World } from '../support/fixtures.js'
import { normalised, variations } from '../support/parity.js'
import { inRestSpelling } from '../support/spelling.js'

const schema = createSchema(assembly)
const endpoints = endpointsOf(EXTERNAL, schema)
const reads = endpoints.filter(({ operation }) => !operation.mutation).map((one) => [nameOf(one), one] as const)
const writes = endpoints.filter(({ operation }) => operation.mutation).map((one) => [nameOf(one), one] as const)

/** Operations that refuse a call without anything that is optional, which would change nothing. */
const WANT_SOMETHING = ['UpdateOpportunity']
/** What happens after the commit is asked for with these. */
const ASK_FOR_ACTIONS = [
  'activate_agent_id',
  'agent_channel_account_id',
  'enroll_in_flow_id',
  'send_template_email_id',
  'email_sender_id',
]
/** For two worlds for each variation. */
const WORLDS_TIMEOUT = 180_000

let service: TestApp
let world: World
beforeAll(async () => {
  service = await startTestApp()
  world = await World.make(service)
})
afterAll(() => service.stop())

/** The variations for each record that the endpoint's path can name. */
async function readVariations(endpoint: Endpoint): Promise<Variables[]> {
  const own = await ownIds(endpoint, world)
  const inPath = idSlots(endpoint).filter(({ parameter }) => parameter.source === 'path')
  const found = variations(endpoint, own)
  for (const { parameter } of inPath) {
    for (const id of await world.ids(fixtureKey(endpoint, parameter))) {
      found.push(...variations(endpoint, new Map([...own, [parameter.name, id]])))
    }
  }
  return found
}

const withoutNulls = (members: Variables): Variables =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null))

/** What the REST envelope of these data holds beside `success` and the message. */
function expectedMembers({ operation, mount }: Endpoint, data: Variables): Variables {
  const [root] = operation.roots
  if (mount.envelope === 'DATA') return { data: data[root!.key] }
  if (mount.envelope === 'PAGE') {
    const { items, pagination } = data[root!.key] as Variables
    return { data: items, pagination }
  }
  const members = operation.roots.map(({ key, spread }) => (spread ? (data[key] as Variables) : { [key]: data[key] }))
  const sparse = operation.roots.flatMap((root) => root.sparse)
  const present = Object.entries<unknown>(Object.assign({}, ...members))
    .filter(([key, value]) => value !== null || key === 'data')
    .map(([key, value]) => [key, sparse.includes(key) ? withoutNulls(value as Variables) : value])
  return Object.fromEntries(present)
}

/** What REST and /graphql have in common of an answer: the data, or the code of the error. */
function restOutcome(endpoint: Endpoint, { status, body }: Answer): unknown {
  if (!body.success) return body.error.code
  expect(status).toBe(endpoint.mount.status)
  const { success, message, ...members } = body
  const sentence = endpoint.mount.message === undefined ? { message } : {}
  return normalised({ ...members, ...sentence })
}

function graphqlOutcome(endpoint: Endpoint, { body }: Answer): unknown {
  const [error] = body.errors ?? []
  // The same fault; GraphQL's own check of the variables comes first there.
  if (error) return error.extensions.code === 'BAD_USER_INPUT' ? 'VALIDATION_ERROR' : error.extensions.code
  const data = inRestSpelling(schema, endpoint.operation.document, body.data)
  return normalised(expectedMembers(endpoint, data as Variables))
}

const isError = (outcome: unknown) => typeof outcome === 'string'

/** Runs an operation compiled, as the endpoint does, and by graphql-js, and compares what comes out. */
async function expectSameExecution(endpoint: Endpoint, inside: World, variables: Variables): Promise<void> {
  const compiled = await unkept(endpoint, inside, (context) => endpoint.operation.execute(context, variables))
  const plain = await unkept(endpoint, inside, (contextValue) =>
    execute({ schema, document: endpoint.operation.document, contextValue, variableValues: variables }),
  )
  expect({ data: normalised(compiled.data ?? null), messages: messagesOf(compiled) }).toEqual({
    data: normalised(inRestSpelling(schema, endpoint.operation.document, plain.data)),
    messages: messagesOf(plain),
  })
}

type Result = Awaited<ReturnType<Endpoint['operation']['execute']>>

const messagesOf = ({ errors = [] }: Result) => errors.map(({ message }) => message)

class Undo extends Error {}

/** Runs a read, or a write whose transaction is taken back, in a fresh context of the world's key. */
async function unkept(
  { operation }: Endpoint,
  inside: World,
  work: (context: RequestContext) => Result | Promise<Result>,
): Promise<Result> {
  const { viewer } = await service.app.authenticator.authenticate(inside.key)
  const rate = { limit: 10, remaining: 9, reset: 1_800_000_000 }
  const context = new RequestContext('parity', { viewer }, service.database, {
    allowance: { state: rate, charge: async () => {} },
  })
  if (!operation.mutation) return work(context)
  let result: Result | undefined
  const undone = context.db.transaction(async () => {
    result = await work(context)
    throw new Undo()
  })
  await expect(undone).rejects.toThrow(Undo)
  return result!
}

describe.each(reads)('%s', (_, endpoint) => {
  test('answers what /graphql answers to the same operation', async () => {
    const query = print(endpoint.operation.document)
    for (const variables of await readVariations(endpoint)) {
      const rest = restOutcome(endpoint, await callWith(world.client, endpoint, variables))
      const graphql = graphqlOutcome(endpoint, await world.client.graphql(query, variables))
      expect({ variables, outcome: rest }).toEqual({ variables, outcome: graphql })
      expect({ variables, failed: isError(rest) }).toEqual({ variables, failed: false })
    }
  })

  test('yields the same compiled as executed by graphql-js', async () => {
    for (const variables of await readVariations(endpoint)) await expectSameExecution(endpoint, world, variables)
  })
})

describe.each(writes)('%s', (_, endpoint) => {
  test(
    'answers what /graphql answers to the same operation, on equal accounts',
    async () => {
      const query = print(endpoint.operation.document)
      const outcomes: unknown[] = []
      const count = variations(endpoint, await ownIds(endpoint, world)).length
      for (let i = 0; i < count; i++) {
        const [mine, yours] = await Promise.all([World.bare(service), World.bare(service)])
        const [here, there] = await Promise.all(
          [mine, yours].map(async (one) => variations(endpoint, await ownIds(endpoint, one))[i]!),
        )
        const rest = restOutcome(endpoint, await callWith(mine.client, endpoint, here!))
        const graphql = graphqlOutcome(endpoint, await yours.client.graphql(query, there))
        expect({ variables: here, outcome: rest }).toEqual({ variables: here, outcome: graphql })
        outcomes.push(rest)
      }
      // Without anything optional, and with all of it, the call succeeds, so that data were compared.
      const [minimal, whole] = outcomes
      expect(isError(minimal)).toBe(WANT_SOMETHING.includes(endpoint.operation.name))
      expect(isError(whole)).toBe(false)
    },
    WORLDS_TIMEOUT,
  )

  test('yields the same compiled as executed by graphql-js, for absent and for null variables', async () => {
    for (const variables of variations(endpoint, await ownIds(endpoint, world))) {
      // What comes of them stands in an answer only after its transaction, which graphql-js cannot write.
      for (const name of ASK_FOR_ACTIONS) delete variables[name]
      await expectSameExecution(endpoint, world, variables)
    }
  })
})

test('there are reads and writes to compare', () => {
  expect(reads.length).toBeGreaterThan(2)
  expect(writes.length).toBeGreaterThan(2)
})
