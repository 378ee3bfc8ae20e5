import { randomUUID } from 'node:crypto'
import { compareAgencies, reconcileAbandoned, renewDue, tellSeats } from '../../src/domains/billing/index.js'
import { type BillingProvider, StripeBilling } from '../../src/integrations/billing/index.js'
import { createdClient, makeAgency, type TestAgency } from '../support/agencies.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { FAULT_KINDS, type LocalStripe, startLocalStripe } from '../support/stripe/index.js'
import { booksOf, PAY, sound } from '../support/stripe-books.js'

// What Stripe has of an agency and what the database says, and what is done where they differ.

const HOUR_MS = 3_600_000
const PRICE = 1000
let stripe: LocalStripe
let provider: BillingProvider
let service: TestApp
beforeAll(async () => {
  stripe = await startLocalStripe({ deliveries: 'manual' })
  const settings = { secretKey: stripe.secretKey, apiBase: stripe.base }
  provider = new StripeBilling(settings)
  service = await startTestApp({ stripe: { ...settings, webhookSecrets: [] } })
})
afterAll(async () => {
  await service.stop()
  await stripe.stop()
})
afterEach(() => stripe.calm())

const query = async <Row extends object>(sql: string, values: unknown[] = []) =>
  (await service.database.pool.query<Row>(sql, values)).rows

interface Charged extends TestAgency {
  eventId: string
  charge: { id: string; state: string; invoice: string | null }
}

/** An agency with two seats that are paid for, and that Stripe was told of; or whose card was declined. */
async function agencyWith(card = 'pm_card_visa'): Promise<Charged> {
  const agency = await makeAgency(service, { seatPriceCents: PRICE, paymentMethod: card, provider })
  const made = await createdClient(agency)
  const { body } = await agency.client.channels(made, { linkedin: 2 }, { 'Idempotency-Key': randomUUID() })
  await tellSeats(service.database, { provider })
  const [charge] = await query<Charged['charge']>(
    'select id, state, invoice_id as invoice from seat_charge where agency_id = $1',
    [agency.agencyId],
  )
  return { ...agency, eventId: body.event_id, charge: charge! }
}

async function compare({ agencyId }: Pick<TestAgency, 'agencyId'>, { apply = false, ahead = 0 } = {}) {
  const clock = () => new Date(Date.now() + ahead)
  const pace = { lease: 30_000, patience: 300 }
  const compared = await compareAgencies(service.database, { provider, days: 62, apply, clock, pace })
  const { trouble, differences } = compared.find((one) => one.agencyId === agencyId)!
  return { trouble, found: differences.map(({ kind, mended }) => [kind, mended]) }
}
const agreed = { trouble: undefined, found: [] }
const differs = (kind: string, mended = false) => ({ trouble: undefined, found: [[kind, mended]] })

/** Behind the service's back an invoice is made, as far as it is said. */
async function invoice(
  { customerId: customer }: TestAgency,
  { charge, until, cents = 2000 }: { charge?: string; until: 'draft' | 'open' | 'paid'; cents?: number },
) {
  const client = stripe.client()
  const metadata: Record<string, string> = charge === undefined ? {} : { charge }
  const { id } = await client.invoices.create({ customer, currency: 'brl', auto_advance: false, metadata })
  await client.invoiceItems.create({ customer, invoice: id, amount: cents, currency: 'brl' })
  if (until !== 'draft') await client.invoices.finalizeInvoice(id, { auto_advance: false })
  if (until === 'paid') await client.invoices.pay(id)
  return id
}
const statusOf = (id: string) => stripe.world.invoices.get(id)?.status
const refundsOf = ({ customerId }: TestAgency) =>
  [...stripe.world.refunds.values()].filter(({ charge }) => stripe.world.charges.get(charge)?.customer === customerId)

test('where all is well nothing differs, be it that nothing was ever charged, and comparing changes nothing', async () => {
  const agency = await agencyWith()
  const idle = await makeAgency(service, { provider })
  expect(await compare(agency, { apply: true })).toEqual(agreed)
  expect(await compare(idle, { apply: true })).toEqual(agreed)
  expect(await booksOf(agency, service.database, stripe)).toEqual(sound(2))
})

describe('what only people can tell is reported and left alone', () => {
  const behind: Record<string, (agency: Charged) => Promise<unknown>> = {
    balance: ({ customerId }) =>
      stripe.client().customers.createBalanceTransaction(customerId, { amount: 500, currency: 'brl' }),
    foreign_invoice: (agency) => invoice(agency, { until: 'paid' }),
    amount: async ({ charge }) => {
      const { payments } = await stripe.client().invoices.retrieve(charge.invoice!, { expand: ['payments'] })
      const payment_intent = String(payments!.data[0]!.payment.payment_intent)
      await stripe.client().refunds.create({ payment_intent })
    },
    subscriptions: async ({ customerId }) => {
      const one = [...stripe.world.subscriptions.values()].find(({ customer }) => customer === customerId)!
      stripe.world.subscriptions.set('sub_twin', { ...structuredClone(one), id: 'sub_twin' })
    },
    missing_invoice: async ({ charge }) => stripe.world.invoices.delete(charge.invoice!),
    stuck: ({ charge }) =>
      query(`update seat_charge set state = 'pending', created_at = now() - interval '3 hours' where id = $1`, [
        charge.id,
      ]),
  }
  test.each(Object.keys(behind))('%s', async (kind) => {
    const agency = await agencyWith()
    await behind[kind]!(agency)
    const before = await booksOf(agency, service.database, stripe)
    expect(await compare(agency, { apply: true })).toEqual(differs(kind))
    expect(await booksOf(agency, service.database, stripe)).toEqual(before)
    expect(refundsOf(agency)).toHaveLength(kind === 'amount' ? 1 : 0)
  })

  test('an invoice of a charge is not given back where it may be the one that has paid it', async () => {
    const agency = await agencyWith()
    await query(`update seat_charge set invoice_id = 'in_gone' where id = $1`, [agency.charge.id])
    const { found } = await compare(agency, { apply: true })
    expect(found).toEqual([
      ['amount', false],
      ['missing_invoice', false],
    ])
    expect(refundsOf(agency)).toEqual([])
  })
})

describe('what is safe is mended when asked for, and only then', () => {
  test.each(['draft', 'open'] as const)('an invoice that is %s of a charge that has ended', async (until) => {
    const agency = await agencyWith()
    const id = await invoice(agency, { charge: agency.charge.id, until })
    expect(await compare(agency)).toEqual(differs('open_invoice'))
    expect(statusOf(id)).toBe(until)
    expect(await compare(agency, { apply: true })).toEqual(differs('open_invoice', true))
    expect([await compare(agency), await booksOf(agency, service.database, stripe)]).toEqual([agreed, sound(2)])
  })

  test.each([
    ['paid twice', 'pm_card_visa', 'applied'],
    ['paid though it was declined', 'pm_card_chargeCustomerFail', 'declined'],
  ])('what was %s is given back once, and its event says so', async (_, card, state) => {
    const agency = await agencyWith(card)
    expect(agency.charge.state).toBe(state)
    await stripe.client().customers.update(agency.customerId, {
      invoice_settings: {
        default_payment_method: (
          await stripe.client().paymentMethods.attach('pm_card_visa', { customer: agency.customerId })
        ).id,
      },
    })
    await compare(agency, { apply: true }) // the card
    const before = await compare(agency)
    const invoiceId = await invoice(agency, { charge: agency.charge.id, until: 'paid' })
    expect([before, await compare(agency), refundsOf(agency)]).toEqual([agreed, differs('not_owed'), []])
    expect(await compare(agency, { apply: true })).toEqual(differs('not_owed', true))
    expect(await compare(agency, { apply: true })).toEqual(agreed)
    const [refund, ...others] = refundsOf(agency)
    expect(others).toEqual([])
    expect((await agency.client.event(agency.eventId)).body.data.result.refund).toEqual({
      id: refund!.id,
      invoiceId,
      refundedCents: 2000,
    })
    expect(await booksOf(agency, service.database, stripe)).toEqual(sound(state === 'applied' ? 2 : 0))
    const [{ sum }] = (await query<{ sum: number }>(
      `select sum(e.cents)::int as sum from ledger_entry e join seat_charge c on c.id = e.charge_id
        where c.agency_id = $1 and c.key like '%+%'`,
      [agency.agencyId],
    )) as [{ sum: number }]
    expect(sum).toBe(0)
  })

  test('a refund that has failed at the bank is made anew', async () => {
    const agency = await agencyWith()
    await invoice(agency, { charge: agency.charge.id, until: 'paid' })
    await compare(agency, { apply: true })
    const [refund] = refundsOf(agency)
    stripe.world.refunds.delete(refund!.id)
    stripe.world.charges.get(refund!.charge)!.refunded = 0
    expect(await compare(agency, { apply: true })).toEqual(differs('not_owed', true))
    expect(refundsOf(agency).map(({ id }) => id)).toEqual([expect.not.stringMatching(refund!.id)])
  })

  test.each(FAULT_KINDS)('also when the refund meets the fault %s, at the next time', async (kind) => {
    const agency = await agencyWith()
    await invoice(agency, { charge: agency.charge.id, until: 'paid' })
    stripe.disturb({ kind, path: 'POST /v1/refunds$', customer: agency.customerId })
    await compare(agency, { apply: true })
    expect(stripe.faults.left).toBe(0)
    for (let n = 0; n < 2; n++) await reconcileAbandoned(service.database, { provider })
    expect(await compare(agency)).toEqual(agreed)
    expect(refundsOf(agency)).toHaveLength(1)
    expect((await agency.client.event(agency.eventId)).body.data.result.refund.id).toBe(refundsOf(agency)[0]!.id)
  })

  test('a number of seats that somebody changed', async () => {
    const agency = await agencyWith()
    const subscription = [...stripe.world.subscriptions.values()].find(
      ({ customer }) => customer === agency.customerId,
    )!
    const items = [{ id: subscription.items[0]!.id, quantity: 7 }]
    await stripe.client().subscriptions.update(subscription.id, { items, proration_behavior: 'none' })
    expect(await compare(agency)).toEqual(differs('seats'))
    expect(await compare(agency, { apply: true })).toEqual(differs('seats', true))
    expect(await compare(agency)).toEqual(agreed)
  })

  test('a card that was taken away', async () => {
    const agency = await agencyWith()
    const [{ id }] = (await query('select payment_method as id from agency where id = $1', [agency.agencyId])) as [
      { id: string },
    ]
    await stripe.client().paymentMethods.detach(id)
    expect(await compare(agency)).toEqual(differs('card'))
    expect(await compare(agency, { apply: true })).toEqual(differs('card', true))
    expect(await compare(agency)).toEqual(agreed)
  })

  test('how far an invoice is', async () => {
    const agency = await agencyWith()
    await query(`update seat_charge set invoice_status = 'open' where id = $1`, [agency.charge.id])
    expect(await compare(agency)).toEqual(differs('invoice_status'))
    expect(await compare(agency, { apply: true })).toEqual(differs('invoice_status', true))
    expect(await compare(agency)).toEqual(agreed)
  })

  test('a renewal that was paid after all', async () => {
    const agency = await agencyWith()
    const { id } = agency.charge
    await query(
      `insert into ledger_entry (id, agency_id, charge_id, source_id, kind, cents, at)
        values (gen_random_uuid(), $1, $2, $2, 'renewal', 2000, now())`,
      [agency.agencyId, id],
    )
    await query(
      `update seat_charge set kind = 'renewal', state = 'unpaid', payment_id = null, retry_at = now() + interval '1 day'
        where id = $1`,
      [id],
    )
    expect(await compare(agency)).toEqual(differs('paid_after_all'))
    expect(await compare(agency, { apply: true })).toEqual(differs('paid_after_all', true))
    await renewDue(service.database, { provider })
    expect(await compare(agency)).toEqual(agreed)
    expect(await booksOf(agency, service.database, stripe)).toEqual(sound(2))
  })
})

describe('beside a service that runs', () => {
  test('a charge in flight is no difference', async () => {
    const agency = await makeAgency(service, { seatPriceCents: PRICE, provider })
    const made = await createdClient(agency)
    const held = stripe.hold('after', { path: PAY, customer: agency.customerId })
    const raised = agency.client.channels(made, { linkedin: 2 }, { 'Idempotency-Key': randomUUID() })
    await held.met
    expect(await compare(agency, { apply: true })).toEqual({ trouble: expect.stringMatching(/moves/), found: [] })
    held.release()
    expect((await raised).status).toBe(200)
    await tellSeats(service.database, { provider })
    expect([await compare(agency), refundsOf(agency)]).toEqual([agreed, []])
  })

  test('nor is one that waits for its next attempt, with its invoice paid, until that takes long', async () => {
    const agency = await agencyWith()
    await query(`update seat_charge set state = 'pending', payment_id = null, invoice_id = null where id = $1`, [
      agency.charge.id,
    ])
    expect(await compare(agency, { apply: true })).toEqual(agreed)
    expect(await compare(agency, { ahead: 3 * HOUR_MS })).toEqual(differs('stuck'))
  })

  test('the trouble of one agency holds up no other', async () => {
    const [one, other] = [await agencyWith(), await agencyWith()]
    stripe.disturb({ kind: 'unavailable', path: 'GET', customer: one.customerId, times: 1000 })
    await stripe.client().customers.createBalanceTransaction(other.customerId, { amount: 1, currency: 'brl' })
    expect(await compare(one)).toEqual({ trouble: expect.stringMatching(/Stripe/), found: [] })
    expect(await compare(other)).toEqual(differs('balance'))
  })
})

describe('the draft of a cycle for which nothing is owed', () => {
  const MONTH_MS = 31 * 24 * HOUR_MS

  test.each([
    ['POST /v1/invoiceitems$', 'error_before'],
    ['POST /v1/invoiceitems$', 'error_after'],
    ['POST /v1/invoices/[^/]+/finalize$', 'error_before'],
    ['POST /v1/invoices/[^/]+/finalize$', 'error_after'],
  ] as const)('comes to 0, also after %s has met %s', async (path, kind) => {
    const agency = await agencyWith()
    await stripe.advance(MONTH_MS)
    const ahead = stripe.world.now * 1000 - Date.now() + 2 * HOUR_MS
    expect(await compare(agency, { ahead })).toEqual(agreed) // its renewal may ask for it still
    await query(`update billing_standing set renews_at = now() + interval '10 years' where agency_id = $1`, [
      agency.agencyId,
    ])
    expect(await compare(agency, { ahead })).toEqual(differs('cycle_draft'))
    stripe.disturb({ kind, path, customer: agency.customerId })
    await compare(agency, { ahead, apply: true })
    expect(stripe.faults.left).toBe(0)
    await compare(agency, { ahead, apply: true })
    expect(await compare(agency, { ahead })).toEqual(agreed)
    expect(await booksOf(agency, service.database, stripe)).toEqual(sound(2))
  })
})
