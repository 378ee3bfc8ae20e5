import type Stripe from 'stripe'
import { failure } from '../support/stripe/failure.js'
import { type LocalStripe, startLocalStripe } from '../support/stripe/index.js'

const HOUR = 3_600_000
const DAY = 24 * HOUR
let stripe: LocalStripe
let client: Stripe
let price: string

/** The server's time begins on 10 January 2027, noon, and stands still but for what a test lets go by. */
const begin = new Date('2027-01-10T12:00:00Z')
const seconds = (iso: string) => Date.parse(iso) / 1000

beforeEach(async () => {
  stripe = await startLocalStripe({ clock: () => begin })
  client = stripe.client()
  const product = await client.products.create({ id: 'fairlead_seat', name: 'Seat' })
  const made = await client.prices.create({
    product: product.id,
    currency: 'brl',
    unit_amount: 4900,
    recurring: { interval: 'month' },
  })
  price = made.id
})
afterEach(() => stripe.stop())

async function customerWith(card?: string): Promise<string> {
  const { id } = await client.customers.create({})
  if (card) await putOnFile(id, card)
  return id
}

async function putOnFile(customer: string, card: string): Promise<void> {
  const method = await client.paymentMethods.attach(card, { customer })
  await client.customers.update(customer, { invoice_settings: { default_payment_method: method.id } })
}

/** A subscription as the product makes them: on an anchor, without anything for the time until then. */
function subscribe(customer: string, quantity: number, anchor = '2027-01-31T10:00:00Z'): Promise<Stripe.Subscription> {
  return client.subscriptions.create({
    customer,
    items: [{ price, quantity }],
    billing_cycle_anchor: seconds(anchor),
    proration_behavior: 'none',
  })
}

const invoicesOf = async (customer: string) => (await client.invoices.list({ customer })).data

describe('a subscription', () => {
  test('on an anchor costs nothing until then; its period is its item’s', async () => {
    const customer = await customerWith('pm_card_visa')
    const made = await subscribe(customer, 3)
    expect(made).toMatchObject({
      status: 'active',
      latest_invoice: null,
      billing_cycle_anchor: seconds('2027-01-31T10:00:00Z'),
    })
    expect(made.items.data[0]).toMatchObject({
      quantity: 3,
      current_period_start: begin.getTime() / 1000,
      current_period_end: seconds('2027-01-31T10:00:00Z'),
    })
    expect(made).not.toHaveProperty('current_period_end')
    expect(await invoicesOf(customer)).toEqual([])
  })

  test('is renewed by a draft, which is final an hour later and paid', async () => {
    const customer = await customerWith('pm_card_visa')
    const { id } = await subscribe(customer, 3)
    await stripe.moveTo(new Date('2027-01-31T10:00:00Z'))
    const [draft] = await invoicesOf(customer)
    expect(draft).toMatchObject({
      status: 'draft',
      billing_reason: 'subscription_cycle',
      total: 14_700,
      auto_advance: true,
      automatically_finalizes_at: seconds('2027-01-31T11:00:00Z'),
      parent: { type: 'subscription_details', subscription_details: { subscription: id } },
    })
    expect(draft!.lines.data[0]).toMatchObject({
      quantity: 3,
      period: { start: seconds('2027-01-31T10:00:00Z'), end: seconds('2027-02-28T10:00:00Z') },
    })
    await stripe.advance(HOUR - 1000)
    expect((await invoicesOf(customer))[0]).toMatchObject({ status: 'draft' })
    await stripe.advance(1000)
    expect((await invoicesOf(customer))[0]).toMatchObject({ status: 'paid', amount_paid: 14_700 })
    expect(stripe.collected(customer)).toBe(14_700)
  })

  test('a draft can be corrected by an item until it is final', async () => {
    const customer = await customerWith('pm_card_visa')
    await subscribe(customer, 3)
    await stripe.moveTo(new Date('2027-01-31T10:30:00Z'))
    const [draft] = await invoicesOf(customer)
    const item = { customer, invoice: draft!.id, amount: -4900, currency: 'brl', description: 'One seat less' }
    await client.invoiceItems.create(item)
    expect(await client.invoices.retrieve(draft!.id)).toMatchObject({ total: 9800, amount_due: 9800 })
    await stripe.advance(HOUR)
    expect(stripe.collected(customer)).toBe(9800)
    expect(await failure(client.invoiceItems.create(item))).toMatchObject({ code: 'invoice_not_editable' })
  })

  test('has its months end on the last day where the anchor’s is missing', async () => {
    const customer = await customerWith('pm_card_visa')
    await subscribe(customer, 1)
    await stripe.moveTo(new Date('2027-05-01T00:00:00Z'))
    const created = (await invoicesOf(customer)).map((invoice) => new Date(invoice.created * 1000).toISOString())
    expect(created).toEqual(['04-30', '03-31', '02-28', '01-31'].map((day) => `2027-${day}T10:00:00.000Z`))
  })

  test('is changed without prorations, from the next cycle on', async () => {
    const customer = await customerWith('pm_card_visa')
    const { id, items } = await subscribe(customer, 3)
    const item = items.data[0]!.id
    const changed = await client.subscriptions.update(id, {
      items: [{ id: item, quantity: 5 }],
      proration_behavior: 'none',
    })
    expect(changed.items.data).toMatchObject([{ id: item, quantity: 5 }])
    expect(await invoicesOf(customer)).toEqual([])
    await stripe.moveTo(new Date('2027-02-01T00:00:00Z'))
    expect(stripe.collected(customer)).toBe(24_500)
  })

  test('a change that forgets to say so is refused loudly, since it would be prorated', async () => {
    const customer = await customerWith('pm_card_visa')
    const { id, items } = await subscribe(customer, 3)
    const change = client.subscriptions.update(id, { items: [{ id: items.data[0]!.id, quantity: 5 }] })
    expect(await failure(change)).toMatchObject({ statusCode: 501, message: expect.stringContaining('prorations') })
    expect(stripe.takeComplaints()).toHaveLength(1)
  })

  test('an item without its id is a further one, which one price cannot be', async () => {
    const customer = await customerWith('pm_card_visa')
    const { id } = await subscribe(customer, 3)
    const twice = client.subscriptions.update(id, { items: [{ price, quantity: 5 }], proration_behavior: 'none' })
    expect(await failure(twice)).toMatchObject({ statusCode: 400, message: expect.stringContaining('same plan') })
    expect((await client.subscriptions.retrieve(id)).items.data).toMatchObject([{ quantity: 3 }])
  })

  test('of no seats is renewed for nothing', async () => {
    const customer = await customerWith('pm_card_visa')
    await subscribe(customer, 0)
    await stripe.moveTo(new Date('2027-02-01T00:00:00Z'))
    expect(await invoicesOf(customer)).toMatchObject([{ status: 'paid', total: 0, amount_paid: 0 }])
    expect((await client.charges.list({ customer })).data).toEqual([])
  })

  test('whose card fails is past due, tried again, and active when it is paid', async () => {
    const customer = await customerWith('pm_card_chargeCustomerFail')
    const { id } = await subscribe(customer, 2)
    await stripe.moveTo(new Date('2027-01-31T11:00:00Z'))
    expect(await client.subscriptions.retrieve(id)).toMatchObject({ status: 'past_due' })
    const [open] = await invoicesOf(customer)
    expect(open).toMatchObject({
      status: 'open',
      attempt_count: 1,
      next_payment_attempt: seconds('2027-02-03T11:00:00Z'),
    })
    expect(await client.customers.retrieve(customer)).toMatchObject({ delinquent: true })
    await putOnFile(customer, 'pm_card_visa')
    await stripe.advance(3 * DAY)
    expect(await client.subscriptions.retrieve(id)).toMatchObject({ status: 'active' })
    expect(stripe.collected(customer)).toBe(9800)
    const types = (await client.events.list({ limit: 100 })).data.map(({ type }) => type)
    expect(types).toEqual(
      expect.arrayContaining(['invoice.payment_failed', 'invoice.paid', 'customer.subscription.updated']),
    )
  })

  test('is tried four times, then no more', async () => {
    const customer = await customerWith('pm_card_chargeCustomerFail')
    const { id } = await subscribe(customer, 2)
    await stripe.moveTo(new Date('2027-02-27T00:00:00Z'))
    expect(await invoicesOf(customer)).toMatchObject([{ status: 'open', attempt_count: 4, next_payment_attempt: null }])
    expect(await client.subscriptions.retrieve(id)).toMatchObject({ status: 'past_due' })
  })

  test('that is cancelled is renewed no more, and is gone for whoever would change it', async () => {
    const customer = await customerWith('pm_card_visa')
    const { id } = await subscribe(customer, 2)
    expect(await client.subscriptions.cancel(id)).toMatchObject({ status: 'canceled' })
    await stripe.moveTo(new Date('2027-03-01T00:00:00Z'))
    expect(await invoicesOf(customer)).toEqual([])
    expect(await failure(client.subscriptions.cancel(id))).toMatchObject({ statusCode: 404 })
    expect(await failure(client.subscriptions.update(id, { description: 'x' }))).toMatchObject({ statusCode: 400 })
    expect((await client.subscriptions.list({ customer })).data).toEqual([])
    expect((await client.subscriptions.list({ customer, status: 'all' })).data).toMatchObject([{ id }])
  })

  test('whose anchor is said by day and time comes back to that day after a shorter month', async () => {
    await stripe.moveTo(new Date('2027-02-10T12:00:00Z'))
    const customer = await customerWith('pm_card_visa')
    const made = await client.subscriptions.create({
      customer,
      items: [{ price, quantity: 1 }],
      billing_cycle_anchor_config: { day_of_month: 31, hour: 10, minute: 30, second: 5 },
      proration_behavior: 'none',
    })
    expect(made).toMatchObject({
      latest_invoice: null,
      billing_cycle_anchor: seconds('2027-02-28T10:30:05Z'),
      billing_cycle_anchor_config: { day_of_month: 31, hour: 10, minute: 30, second: 5, month: null },
    })
    await stripe.moveTo(new Date('2027-05-10T00:00:00Z'))
    const created = (await invoicesOf(customer)).map((invoice) => new Date(invoice.created * 1000).toISOString())
    expect(created).toEqual(['04-30', '03-31', '02-28'].map((day) => `2027-${day}T10:30:05.000Z`))
    const both = {
      billing_cycle_anchor: seconds('2027-05-20T00:00:00Z'),
      billing_cycle_anchor_config: { day_of_month: 1 },
    }
    const refused = client.subscriptions.create({ customer, items: [{ price }], proration_behavior: 'none', ...both })
    expect(await failure(refused)).toMatchObject({ statusCode: 400 })
    const late = { billing_cycle_anchor_config: { day_of_month: 32 } }
    const wrong = client.subscriptions.create({ customer, items: [{ price }], proration_behavior: 'none', ...late })
    expect(await failure(wrong)).toMatchObject({ param: 'billing_cycle_anchor_config[day_of_month]' })
  })

  test('whose collection is paused leaves drafts to whoever finalises them', async () => {
    const customer = await customerWith('pm_card_visa')
    const { id } = await subscribe(customer, 2)
    const paused = await client.subscriptions.update(id, { pause_collection: { behavior: 'keep_as_draft' } })
    expect(paused).toMatchObject({
      status: 'active',
      pause_collection: { behavior: 'keep_as_draft', resumes_at: null },
    })
    await stripe.moveTo(new Date('2027-02-20T00:00:00Z'))
    const [draft] = await invoicesOf(customer)
    expect(draft).toMatchObject({ status: 'draft', auto_advance: false, automatically_finalizes_at: null, total: 9800 })
    await client.invoices.finalizeInvoice(draft!.id, { auto_advance: false })
    expect(await client.invoices.pay(draft!.id)).toMatchObject({ status: 'paid', billing_reason: 'subscription_cycle' })
    await client.subscriptions.update(id, { pause_collection: '' })
    await stripe.moveTo(new Date('2027-03-02T00:00:00Z'))
    expect(stripe.collected(customer)).toBe(19_600)
  })

  test.each([
    ['2027-02-11T12:00:00Z', /later than next natural billing date/],
    ['2027-01-10T11:59:59Z', /must be in the future/],
  ])('cannot have %s for its anchor', async (anchor, message) => {
    const refused = await failure(subscribe(await customerWith('pm_card_visa'), 1, anchor))
    expect(refused).toMatchObject({
      statusCode: 400,
      param: 'billing_cycle_anchor',
      message: expect.stringMatching(message),
    })
  })

  test('needs a card, if it is collected by itself', async () => {
    expect(await failure(subscribe(await customerWith(), 1))).toMatchObject({
      statusCode: 400,
      code: 'resource_missing',
    })
  })

  test('that begins now is charged now, and incomplete when that fails', async () => {
    const items = [{ price, quantity: 1 }]
    const customer = await customerWith('pm_card_visa')
    expect(await client.subscriptions.create({ customer, items })).toMatchObject({ status: 'active' })
    expect(stripe.collected(customer)).toBe(4900)
    const failing = await customerWith('pm_card_chargeCustomerFail')
    const made = await client.subscriptions.create({ customer: failing, items, expand: ['latest_invoice'] })
    expect(made).toMatchObject({ status: 'incomplete', latest_invoice: { status: 'open' } })
    const strict = client.subscriptions.create({ customer: failing, items, payment_behavior: 'error_if_incomplete' })
    expect(await failure(strict)).toMatchObject({ statusCode: 402, code: 'card_declined' })
  })

  test('a renewal waits for an endpoint that has not taken its draft, three days at most', async () => {
    await client.webhookEndpoints.create({ url: 'http://127.0.0.1:9/nobody', enabled_events: ['invoice.created'] })
    const customer = await customerWith('pm_card_visa')
    await subscribe(customer, 1)
    await stripe.moveTo(new Date('2027-02-03T09:59:00Z'))
    expect(await invoicesOf(customer)).toMatchObject([{ status: 'draft', webhooks_delivered_at: null }])
    await stripe.moveTo(new Date('2027-02-03T10:00:00Z'))
    expect(await invoicesOf(customer)).toMatchObject([{ status: 'paid' }])
  })
})
