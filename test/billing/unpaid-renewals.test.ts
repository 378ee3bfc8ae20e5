import { randomUUID } from 'node:crypto'
import { Agencies } from '../../src/domains/agencies/index.js'
import { renewDue, tellSeats } from '../../src/domains/billing/index.js'
import { StripeBilling } from '../../src/integrations/billing/index.js'
import { makeAgency, newClient } from '../support/agencies.js'
import { startTestApp, type TestApp } from '../support/app.js'
import type { Client } from '../support/client.js'
import { makeOperator, signIn, withSession } from '../support/factories/people.js'
import { dataOf, TIMESTAMP } from '../support/graphql.js'
import { type LocalStripe, signature, startLocalStripe } from '../support/stripe/index.js'

// A renewal that is declined: what the agency and the operator see of it and of the card, whatever Stripe tells and when.

const SECRET = 'whsec_1'
const DAY_MS = 86_400_000
let stripe: LocalStripe
let provider: StripeBilling
let service: TestApp
let operator: Client
const clock = () => new Date(stripe.world.now * 1000)
beforeAll(async () => {
  stripe = await startLocalStripe({ deliveries: 'manual' })
  const settings = { secretKey: stripe.secretKey, apiBase: stripe.base, webhookSecrets: [SECRET] }
  provider = new StripeBilling(settings, clock)
  service = await startTestApp({ stripe: settings })
  operator = (await signIn(service, (await makeOperator(service)).email)).client
})
afterAll(async () => {
  await service.stop()
  await stripe.stop()
})

const BILLING = `query ($id: ID!) { agencyBilling(agencyId: $id) { seats unpaidCents decline retryAt cardAsOf
  card { brand last4 expires }
  unpaidRenewals { periodStart periodEnd seats owedCents decline declines retryAt invoiceStatus } } }`

/** All that Stripe has told so far, backwards and then once more in its order: old news is told late. */
async function tellAll(): Promise<void> {
  const { data } = await stripe.client().events.list({ limit: 100 })
  for (const event of [...data, ...data.toReversed()]) {
    const body = JSON.stringify(event)
    const response = await fetch(`${service.origin}/webhooks/stripe`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'Stripe-Signature': signature(body, [SECRET], Math.floor(Date.now() / 1000)),
      },
      body,
    })
    expect([event.type, response.status]).toEqual([event.type, 200])
  }
}

test('stands in GraphQL with its decline and next try until it is paid, and no seat is taken away', async () => {
  const agency = await makeAgency(service, { seatPriceCents: 1000, provider })
  const made = await agency.client.create(newClient({ channels: { whatsapp: 3 } }), {
    'Idempotency-Key': randomUUID(),
  })
  expect(made.status).toBe(201)
  await tellSeats(service.database, { provider })
  const dashboard = withSession(service.origin, agency.token)
  const seen = async () => {
    const [mine, theirs] = await Promise.all(
      [dashboard, operator].map(async (viewer) => dataOf(await viewer.graphql(BILLING, { id: agency.agencyId }))),
    )
    expect(mine).toEqual(theirs)
    return mine
  }
  const visa = { brand: 'visa', last4: '4242', expires: expect.stringMatching(/^20\d\d-\d\d$/) }
  const paid = { seats: 3, unpaidCents: 0, decline: null, retryAt: null, unpaidRenewals: [] }
  expect(await seen()).toEqual({ ...paid, card: visa, cardAsOf: TIMESTAMP })

  const agencies = new Agencies(service.database, provider)
  await agencies.changePaymentMethod(agency.agencyId, 'pm_card_chargeCustomerFail')
  await stripe.advance(32 * DAY_MS)
  await renewDue(service.database, { provider, clock })
  const renewal = (declines: number) => ({
    seats: 3,
    unpaidCents: 3000,
    decline: 'card_declined',
    retryAt: TIMESTAMP,
    card: { ...visa, last4: '0341' },
    cardAsOf: TIMESTAMP,
    unpaidRenewals: [
      {
        periodStart: TIMESTAMP,
        periodEnd: TIMESTAMP,
        seats: 3,
        owedCents: 3000,
        decline: 'card_declined',
        declines,
        retryAt: TIMESTAMP,
        invoiceStatus: 'void',
      },
    ],
  })
  expect(await seen()).toEqual(renewal(1))
  await tellAll()
  expect(await seen()).toEqual(renewal(1))
  await stripe.advance(1.1 * DAY_MS)
  await renewDue(service.database, { provider, clock })
  await tellAll()
  expect(await seen()).toEqual(renewal(2))

  await agencies.changePaymentMethod(agency.agencyId, 'pm_card_visa')
  await stripe.advance(2.1 * DAY_MS)
  await renewDue(service.database, { provider, clock })
  expect(await seen()).toEqual({ ...paid, card: visa, cardAsOf: TIMESTAMP })
  await tellAll()
  expect(await seen()).toEqual({ ...paid, card: visa, cardAsOf: TIMESTAMP })
  expect([stripe.collected(agency.customerId), stripe.open(agency.customerId)]).toEqual([6000, 0])
})
