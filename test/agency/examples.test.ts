import {
  createAgencyClient,
  ended,
  makeAgency,
  newClient,
  startTestWorker,
  type TestAgency,
} from '../support/agencies.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { AGENCY_API, type Json } from '../support/openapi.js'

// What the agency API says of errors is what the examples of its document say.

let service: TestApp
beforeAll(async () => {
  service = await startTestApp({ events: { leaseMs: 1000, retryMs: 5 }, idempotencyWaitMs: 100 })
})
afterAll(() => service.stop())

const operationOf = (id: string): Json => AGENCY_API.operations.find(({ object }) => object.operationId === id)!.object
const examplesOf = (id: string, status: number): Json =>
  operationOf(id).responses[status].content['application/json'].examples
const [CREATE, CHANNELS, REMOVE, EVENT] = [
  'createSubAccount',
  'updateSubAccountChannels',
  'deleteSubAccount',
  'getAgencyEvent',
] as [string, string, string, string]

interface Answered {
  status: number
  body: Json
}

/** What stays of a failure when its ids are left out; numbers of seconds count as such. */
const alike = ({ error, event_id, ...rest }: Json) => {
  const { request_id, retry_after, ...told } = error
  return { ...rest, booked: event_id !== undefined, error: { ...told, waits: retry_after !== undefined } }
}

/** The codes of which an answer was compared with its example, by operation. */
const seen = new Map<string, Set<string>>()

function expectAsShown(id: string, { status, body }: Answered): void {
  const { code } = body.error
  expect({ id, status, ...alike(body) }).toEqual({ id, status, ...alike(examplesOf(id, status)[code].value) })
  seen.set(id, (seen.get(id) ?? new Set()).add(code))
}

const changing = ({ client }: TestAgency, reference: string, channels: unknown) => client.channels(reference, channels)

test('whoever is not let in', async () => {
  const agency = await makeAgency(service, { scopes: ['sub_account.credentials'] })
  const stranger = createAgencyClient(service.origin, agency.agencyKey, 'fl_agency_nothing')
  for (const [client, status] of [
    [stranger, 401],
    [agency.client, 403],
  ] as const) {
    const answers: [string, Answered][] = [
      [CREATE, await client.create(newClient())],
      [CHANNELS, await client.channels('x', {})],
      [REMOVE, await client.remove('x')],
    ]
    for (const [id, answer] of answers) {
      expect(answer.status).toBe(status)
      expectAsShown(id, answer)
    }
  }
  expectAsShown(EVENT, await stranger.event('x'))
})

test('what is wrong in form', async () => {
  const agency = await makeAgency(service)
  const { client } = agency
  const path = '/sub-accounts/x/channels'
  expectAsShown(CREATE, await client.create({ admin_email: 'a@b.example' }))
  expectAsShown(CREATE, await client.create(newClient({ external_ref: 'x'.repeat(121) })))
  expectAsShown(CREATE, await client.create(newClient({ channels: { linkedin: 101 } })))
  expectAsShown(CREATE, await client.create(newClient({ admin_email: 'nobody' })))
  expectAsShown(CHANNELS, await client.call('PUT', path, { body: {} }))
  expectAsShown(CHANNELS, await changing(agency, 'x', { linkedin: -1 }))
  const strict = { Prefer: 'handling=strict' }
  expectAsShown(CHANNELS, await client.call('PUT', `${path}?fields=x`, { body: { channels: {} }, headers: strict }))
  expectAsShown(REMOVE, await client.call('DELETE', '/sub-accounts/x?fields=x', { headers: strict }))
  expectAsShown(EVENT, await client.get('/events/x?fields=x', strict))
  for (const [id, method, at] of [
    [CREATE, 'POST', '/sub-accounts'],
    [CHANNELS, 'PUT', path],
  ] as const) {
    expectAsShown(id, await client.call(method, at, { body: '{}', headers: { 'Content-Type': 'text/plain' } }))
    expectAsShown(id, await client.call(method, at, { body: `{"x": "${'x'.repeat(1_048_576)}"}` }))
  }
})

test('what is not there, not one’s own, taken, locked, too often', async () => {
  const [agency, other] = [await makeAgency(service), await makeAgency(service)]
  const body = newClient({ external_ref: 'mine' })
  const { id } = (await agency.client.create(body)).body.data
  expectAsShown(EVENT, await agency.client.event(id))
  expectAsShown(CHANNELS, await changing(agency, 'ext:nobody', {}))
  expectAsShown(REMOVE, await agency.client.remove('ext:nobody'))
  expectAsShown(CHANNELS, await changing(other, id, {}))
  expectAsShown(REMOVE, await other.client.remove(id))
  expectAsShown(CREATE, await other.client.create(newClient({ admin_email: body.admin_email })))
  expectAsShown(CREATE, await agency.client.create(newClient({ external_ref: 'mine' })))
  const { pool } = service.database
  await pool.query("update sub_account set trial_ends_at = now() + interval '1 day' where id = $1", [id])
  expectAsShown(CHANNELS, await changing(agency, id, { linkedin: 1 }))
  for (let n = 0; n < 4; n++) await agency.client.create(newClient())
  expectAsShown(CREATE, await agency.client.create(newClient()))
})

test('what cannot be paid', async () => {
  const declined = await makeAgency(service, { paymentMethod: 'pm_card_chargeCustomerFail' })
  const none = await makeAgency(service, { paymentMethod: undefined })
  expectAsShown(CREATE, await declined.client.create(newClient({ channels: { linkedin: 1 } })))
  expectAsShown(CREATE, await none.client.create(newClient({ channels: { linkedin: 1 } })))
  const { id } = (await declined.client.create(newClient())).body.data
  expectAsShown(CHANNELS, await changing(declined, id, { linkedin: 1 }))
})

test('repeats', async () => {
  const agency = await makeAgency(service)
  const key = { 'Idempotency-Key': 'k' }
  const body = newClient()
  const { id } = (await agency.client.create(body, key)).body.data
  expectAsShown(CREATE, await agency.client.create(newClient(), key))
  await agency.client.channels(id, { linkedin: 1 }, key)
  expectAsShown(CHANNELS, await agency.client.channels(id, { linkedin: 2 }, key))
  await agency.sandbox.disturb({ kind: 'slow', method: 'charge', customerId: agency.customerId, delayMs: 2000 })
  const slow = { 'Idempotency-Key': 'slow' }
  const first = agency.client.channels(id, { linkedin: 3 }, slow)
  await new Promise((resolve) => setTimeout(resolve, 300))
  expectAsShown(CHANNELS, await agency.client.channels(id, { linkedin: 3 }, slow))
  await first
  await agency.sandbox.disturb({ kind: 'down', method: 'charge', customerId: agency.customerId, times: 20 })
  const down = { 'Idempotency-Key': 'down' }
  const { event_id } = (await agency.client.channels(id, { linkedin: 4 }, down)).body
  const worker = startTestWorker(service, { leaseMs: 1000, retryMs: 5 })
  try {
    expect(await ended(agency, event_id)).toMatchObject({ status: 'failed' })
  } finally {
    await worker.stop()
  }
  expectAsShown(CHANNELS, await agency.client.channels(id, { linkedin: 4 }, down))
  await agency.client.remove(id, key)
  expectAsShown(REMOVE, await agency.client.remove('another', key))
  expectAsShown(CREATE, await agency.client.create(body, key))
}, 60_000)

test('of every code of the document an answer was looked at, but for faults of ours and what is told of both writes alike', () => {
  // Too many wrong tokens: test/http/failed-authentication.test.ts.
  const outside = ['INTERNAL_ERROR', 'SERVICE_UNAVAILABLE', 'RATE_LIMIT_EXCEEDED']
  const elsewhere = [...outside, 'IDEMPOTENCY_IN_PROGRESS', 'TRANSIENT_FAILURE']
  for (const id of [CREATE, CHANNELS, REMOVE, EVENT]) {
    const codes = Object.entries<Json>(operationOf(id).responses).flatMap(([, { content }]) =>
      Object.keys(content['application/json'].examples ?? {}),
    )
    const missing = codes.filter((code) => !seen.get(id)?.has(code) && !elsewhere.includes(code))
    expect({ id, missing }).toEqual({ id, missing: [] })
  }
  expect([...seen.get(CHANNELS)!]).toEqual(expect.arrayContaining(['IDEMPOTENCY_IN_PROGRESS', 'TRANSIENT_FAILURE']))
})
