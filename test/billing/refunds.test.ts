import { randomUUID } from 'node:crypto'
import { reconcileAbandoned } from '../../src/domains/billing/index.js'
import { StripeBilling } from '../../src/integrations/billing/index.js'
import { createdClient, ended, makeAgency, newClient, startTestWorker } from '../support/agencies.js'
import { startTestApp, type TestApp } from '../support/app.js'
import type { Client } from '../support/client.js'
import { makeOperator, signIn, withSession } from '../support/factories/people.js'
import { dataOf } from '../support/graphql.js'
import { type LocalStripe, startLocalStripe } from '../support/stripe/index.js'
import { booksOf, PAY, sound } from '../support/stripe-books.js'

// An event whose attempts have run out after one of which nobody knows what came: it has failed for good, and what it had
// paid is given back later, never applied.

const PACE = { leaseMs: 2000, retryMs: 20 }
let stripe: LocalStripe
let provider: StripeBilling
let service: TestApp
let worker: { stop(): Promise<void> }
let operator: Client
beforeAll(async () => {
  stripe = await startLocalStripe({ deliveries: 'manual' })
  const settings = { secretKey: stripe.secretKey, apiBase: stripe.base }
  provider = new StripeBilling(settings)
  service = await startTestApp({ stripe: { ...settings, webhookSecrets: [] }, events: PACE })
  worker = startTestWorker(service, PACE, provider)
  const { email } = await makeOperator(service)
  operator = (await signIn(service, email)).client
})
afterAll(async () => {
  await worker.stop()
  await service.stop()
  await stripe.stop()
})
afterEach(() => stripe.calm())

const EVENT = 'query ($id: ID!) { agencyEvent(id: $id) { status errorCode result targetAccountId } }'

/** An event that has failed although it was paid, or because it was not. */
async function failedEvent(call: 'creation' | 'raise', lost: 'error_after' | 'error_before') {
  const agency = await makeAgency(service, { seatPriceCents: 1000, provider })
  const { client, customerId: customer } = agency
  const made = call === 'raise' ? await createdClient({ client }) : ''
  stripe.disturb({ kind: lost, path: PAY, customer, times: 1000 })
  stripe.disturb({ kind: 'unavailable', path: 'GET /v1/invoices$', customer, times: 1000 })
  const headers = { 'Idempotency-Key': randomUUID() }
  const { body } =
    call === 'raise'
      ? await client.channels(made, { linkedin: 2 }, headers)
      : await client.create(newClient({ channels: { linkedin: 2 } }), headers)
  const event = await ended(agency, body.event_id)
  stripe.calm()
  return { ...agency, event, dashboard: withSession(service.origin, agency.token) }
}

const later = (hours: number) => () => new Date(Date.now() + hours * 3_600_000)
const reconcile = () => reconcileAbandoned(service.database, { provider, clock: later(2) })

test.each(['creation', 'raise'] as const)('a %s that was paid all the same names its refund', async (call) => {
  const agency = await makePaidFailure(call)
  const { event, client, dashboard } = agency
  expect([event.status, event.error_code, event.result]).toEqual(['failed', 'TRANSIENT_FAILURE', null])
  await reconcile()
  await reconcile()
  const [refund, ...others] = [...stripe.world.refunds.values()].filter(({ charge }) => {
    const paid = stripe.world.charges.get(String(charge))
    return paid?.customer === agency.customerId
  })
  expect(others).toEqual([])
  const invoice = [...stripe.world.invoices.values()].find(({ customer }) => customer === agency.customerId)!
  const result = { refund: { id: refund!.id, invoiceId: invoice.id, refundedCents: refund!.amount } }
  expect((await client.event(event.id)).body.data).toMatchObject({ status: 'failed', result })
  const told = { status: 'FAILED', errorCode: 'TRANSIENT_FAILURE', result }
  const targetAccountId = call === 'raise' ? expect.any(String) : null
  for (const viewer of [dashboard, operator]) {
    expect(dataOf(await viewer.graphql(EVENT, { id: event.id }))).toEqual({ ...told, targetAccountId })
  }
  expect(await booksOf(agency, service.database, stripe)).toEqual(sound(0))
})

test('one that was never paid names none', async () => {
  const agency = await failedEvent('raise', 'error_before')
  expect(agency.event.status).toBe('failed')
  await reconcile()
  expect((await agency.client.event(agency.event.id)).body.data).toMatchObject({ status: 'failed', result: null })
  expect(await booksOf(agency, service.database, stripe)).toEqual(sound(0))
})

/** Paid at the first attempt, which answers with an error; and nobody can read back until the last one is over. */
const makePaidFailure = (call: 'creation' | 'raise') => failedEvent(call, 'error_after')
