import { execute, type GraphQLError } from 'graphql'
import { AGENCY, AGENCY_ACTIONS } from '../../src/apis/agency.js'
import { endpointsOf } from '../../src/app.js'
import { assembly } from '../../src/assembly.js'
import { SeatBilling } from '../../src/domains/billing/index.js'
import { EVENT_PACE, EventJournal } from '../../src/domains/sub-accounts/index.js'
import { createSchema, RequestContext } from '../../src/graphql/index.js'
import type { Endpoint } from '../../src/rest/index.js'
import { AppError } from '../../src/shared/errors.js'
import { makeAgency, newClient, type TestAgency } from '../support/agencies.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { callWith, nameOf, type Variables } from '../support/calls.js'
import type { Answer } from '../support/client.js'
import { makeTenant } from '../support/factories.js'
import { normalised, variations } from '../support/parity.js'
import { inRestSpelling } from '../support/spelling.js'

// The agencies' operations are no part of what anybody may ask /graphql, so the same operation, executed by graphql-js with
// the same books, stands for it.

const schema = createSchema(assembly)
const endpoints = endpointsOf(AGENCY, schema)
const writes = endpoints.filter(({ operation }) => operation.mutation).map((one) => [nameOf(one), one] as const)

let service: TestApp
let journal: EventJournal
beforeAll(async () => {
  service = await startTestApp()
  const { database } = service
  const log = (error: unknown) => {
    throw error
  }
  const billing = new SeatBilling(database, (await makeAgency(service)).sandbox)
  const provisioning = { database, billing, ...EVENT_PACE, log }
  journal = new EventJournal(provisioning as never, { actions: AGENCY_ACTIONS, idempotencyTtlHours: 24 })
})
afterAll(() => service.stop())

/** An agency with one sub-account, whose records are named in the calls. */
async function makeWorld() {
  const agency = await makeAgency(service)
  const { body } = await agency.client.create(newClient({ channels: { linkedin: 1 } }))
  return { ...agency, named: { ref: body.data.id, event_id: body.event_id } as Record<string, string> }
}
type AgencyWorld = Awaited<ReturnType<typeof makeWorld>>

/** The variables for a world: its own records, and what only one can have. */
function inWorld({ parameters }: Endpoint, variables: Variables, { named }: AgencyWorld): Variables {
  const own = parameters.flatMap(({ name }) => (named[name] ? [[name, named[name]]] : []))
  const unique = 'admin_email' in variables ? { admin_email: newClient().admin_email } : {}
  return { ...variables, ...Object.fromEntries(own), ...unique }
}

/** Without what differs between two agencies: addresses, slugs' numbers and passwords. */
const alike = (outcome: unknown): unknown =>
  JSON.parse(
    JSON.stringify(normalised(outcome), (name, value) => {
      if (name === 'slug') return String(value).replace(/-\d+$/, '')
      if (name === 'temporary_password') return typeof value
      return typeof value === 'string' ? value.replace(/admin\d+@client\d+\.example/, 'an address') : value
    }),
  )

const restOutcome = ({ status, body }: Answer, { mount }: Endpoint): unknown => {
  if (!body.ok) return body.error.code
  expect(status).toBe(mount.status)
  return alike(body.data)
}

async function contextOf({ token }: Pick<TestAgency, 'token'>): Promise<RequestContext> {
  const { viewer } = await service.app.authenticator.authenticate(token, ['agency_token'])
  return new RequestContext('parity', { viewer }, service.database, { stored: true })
}

/** What an operation comes to when graphql-js executes it, by the names of the answer. */
async function plainly({ operation }: Endpoint, context: RequestContext, variables: Variables): Promise<unknown> {
  const { document } = operation
  const { data, errors } = await execute({ schema, document, contextValue: context, variableValues: variables })
  if (errors) throw causeOf(errors[0]!)
  const told = inRestSpelling(schema, document, data as Variables) as Variables
  return told[operation.roots[0]!.key]
}

const causeOf = (error: GraphQLError) => error.originalError ?? error

async function booked(endpoint: Endpoint, world: AgencyWorld, variables: Variables): Promise<unknown> {
  const context = await contextOf(world)
  const call = { context, operation: endpoint.operation.name, requestHash: Buffer.alloc(32) }
  const { outcome } = await journal.book(call, async () => {
    try {
      return { status: endpoint.mount.status, body: { data: await plainly(endpoint, context, variables) } }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return { status: error.status, body: { error: { code: error.code } }, failure: { code: error.code }, error }
    }
  })
  const { data, error } = outcome.body as { data?: unknown; error?: { code: string } }
  return error ? error.code : alike(data)
}

/** REST's null for a flag means that it is not given; graphql-js wants a Boolean where one decides what is selected. */
const graphqlTakes = (variables: Variables) => variables.include_credentials !== null

describe.each(writes)('%s', (_, endpoint) => {
  test('comes to the same as when graphql-js executes it, on equal agencies', async () => {
    const outcomes: unknown[] = []
    for (const variables of variations(endpoint, new Map()).filter(graphqlTakes)) {
      const [mine, yours] = await Promise.all([makeWorld(), makeWorld()])
      const rest = restOutcome(await callWith(mine.client, endpoint, inWorld(endpoint, variables, mine)), endpoint)
      const graphql = await booked(endpoint, yours, inWorld(endpoint, variables, yours))
      expect({ variables, outcome: rest }).toEqual({ variables, outcome: graphql })
      outcomes.push(rest)
    }
    expect(outcomes.filter((outcome) => typeof outcome === 'string')).toEqual([])
  }, 120_000)
})

test('GET /events/:event_id is the same as when graphql-js executes it, for an event of every kind of end', async () => {
  const endpoint = endpoints.find(({ operation }) => operation.name === 'GetAgencyEvent')!
  const world = await makeWorld()
  const { client, named } = world
  const answers = [
    await client.channels(named.ref!, { linkedin: 2 }),
    await client.channels(named.ref!, { linkedin: 2 }),
    await client.channels(named.ref!, { fax: 2 }),
    await client.remove(named.ref!),
  ]
  const seen: string[] = []
  for (const id of [named.event_id!, ...answers.map(({ body }) => body.event_id as string)]) {
    const rest = (await client.event(id)).body.data
    const compiled = await endpoint.operation.execute(await contextOf(world), { event_id: id })
    expect(await plainly(endpoint, await contextOf(world), { event_id: id })).toEqual(rest)
    expect(JSON.parse(JSON.stringify(compiled.data)).agencyEvent).toEqual(rest)
    seen.push(rest.status)
  }
  expect(seen).toEqual(['processed', 'processed', 'ignored', 'failed', 'processed'])
})

test('/graphql offers none of it to an API key that may do everything else', async () => {
  const { client } = await makeTenant(service)
  const count = async () => (await service.database.pool.query('select count(*)::int as n from agency_event')).rows[0].n
  const before = await count()
  const asked = [
    'createSubAccount(input: { name: "x", adminEmail: "x@x.example" }) { id }',
    'updateSubAccountChannels(reference: "ext:x", input: { channels: {} }) { id }',
    'deleteSubAccount(reference: "ext:x") { id }',
  ]
  for (const field of asked) {
    const { body } = await client.graphql(`mutation { ${field} }`)
    expect([field, body.errors[0].extensions.code]).toEqual([field, 'INSUFFICIENT_PERMISSIONS'])
  }
  expect(await count()).toBe(before)
})
