import type Stripe from 'stripe'
import { failure } from '../support/stripe/failure.js'
import { type LocalStripe, startLocalStripe } from '../support/stripe/index.js'

let stripe: LocalStripe
let client: Stripe

beforeAll(async () => {
  stripe = await startLocalStripe()
  client = stripe.client()
})
afterAll(() => stripe.stop())

async function customerWith(card?: string): Promise<string> {
  const { id } = await client.customers.create({ name: 'Norte Digital' })
  if (card) {
    const method = await client.paymentMethods.attach(card, { customer: id })
    await client.customers.update(id, { invoice_settings: { default_payment_method: method.id } })
  }
  return id
}

async function draftOf(customer: string, ...amounts: number[]): Promise<Stripe.Invoice> {
  const draft = await client.invoices.create({ customer, currency: 'brl', auto_advance: false })
  for (const amount of amounts) {
    await client.invoiceItems.create({ customer, invoice: draft.id, amount, currency: 'brl', description: 'One seat' })
  }
  return client.invoices.retrieve(draft.id)
}

async function openOf(customer: string, amount = 4900): Promise<Stripe.Invoice> {
  const { id } = await draftOf(customer, amount)
  return client.invoices.finalizeInvoice(id, { auto_advance: false })
}

describe('an invoice', () => {
  test('is a draft, then open, then paid by the card on file', async () => {
    const customer = await customerWith('pm_card_visa')
    const draft = await draftOf(customer, 4900, 30)
    expect(draft).toMatchObject({ status: 'draft', total: 4930, amount_due: 4930, number: null, auto_advance: false })
    expect(draft.lines.data.map(({ amount }) => amount)).toEqual([30, 4900])
    const open = await client.invoices.finalizeInvoice(draft.id, { auto_advance: false })
    expect(open).toMatchObject({ status: 'open', amount_remaining: 4930, attempted: false })
    const paid = await client.invoices.pay(draft.id, { off_session: true, expand: ['payments'] })
    expect(paid).toMatchObject({ status: 'paid', amount_paid: 4930, amount_remaining: 0, attempt_count: 1 })
    const [payment] = paid.payments!.data
    expect(payment).toMatchObject({ status: 'paid', amount_paid: 4930, payment: { type: 'payment_intent' } })
    const intent = await client.paymentIntents.retrieve(payment!.payment.payment_intent as string, {
      expand: ['latest_charge'],
    })
    expect(intent).toMatchObject({ status: 'succeeded', amount_received: 4930, latest_charge: { paid: true } })
    expect(stripe.collected(customer)).toBe(4930)
  })

  test('without pending items of its customer, unless they are asked for', async () => {
    const customer = await customerWith('pm_card_visa')
    await client.invoiceItems.create({ customer, amount: 700, currency: 'brl' })
    const without = await client.invoices.create({ customer, pending_invoice_items_behavior: 'exclude' })
    expect(without.lines.data).toEqual([])
    const including = await client.invoices.create({ customer, pending_invoice_items_behavior: 'include' })
    expect(including).toMatchObject({ total: 700 })
  })

  test('that is not a draft any more cannot be changed', async () => {
    const customer = await customerWith('pm_card_visa')
    const open = await openOf(customer)
    const item = { customer, invoice: open.id, amount: 1, currency: 'brl' }
    expect(await failure(client.invoiceItems.create(item))).toMatchObject({ code: 'invoice_not_editable' })
    expect(await failure(client.invoices.update(open.id, { description: 'x' }))).toMatchObject({ statusCode: 400 })
    expect(await client.invoices.update(open.id, { metadata: { event: '1' } })).toMatchObject({
      metadata: { event: '1' },
    })
    expect(await failure(client.invoices.del(open.id))).toMatchObject({ statusCode: 400 })
    expect(await failure(client.invoices.finalizeInvoice(open.id))).toMatchObject({ statusCode: 400 })
  })

  test('stays open when its payment fails, and void nobody collects it', async () => {
    const customer = await customerWith('pm_card_chargeCustomerFail')
    const open = await openOf(customer)
    const declined = await failure(client.invoices.pay(open.id))
    expect(declined).toMatchObject({
      statusCode: 402,
      type: 'StripeCardError',
      code: 'card_declined',
      decline_code: 'generic_decline',
    })
    expect(declined.payment_intent).toMatchObject({ status: 'requires_payment_method' })
    expect(await client.invoices.retrieve(open.id)).toMatchObject({ status: 'open', attempted: true, attempt_count: 1 })
    expect(await client.invoices.voidInvoice(open.id)).toMatchObject({ status: 'void' })
    const payments = await client.invoicePayments.list({ invoice: open.id })
    expect(payments.data).toMatchObject([{ status: 'canceled' }])
    expect(await failure(client.invoices.pay(open.id))).toMatchObject({ statusCode: 400 })
    expect(await failure(client.invoices.voidInvoice(open.id))).toMatchObject({ statusCode: 400 })
    expect(stripe.collected(customer)).toBe(0)
  })

  test('that was paid is paid once', async () => {
    const customer = await customerWith('pm_card_visa')
    const open = await openOf(customer)
    await client.invoices.pay(open.id)
    expect(await failure(client.invoices.pay(open.id))).toMatchObject({ message: 'Invoice is already paid' })
    expect(await failure(client.invoices.voidInvoice(open.id))).toMatchObject({ statusCode: 400 })
    expect(stripe.collected(customer)).toBe(4900)
  })

  test('can be deleted while it is a draft, and its items wait for another', async () => {
    const customer = await customerWith('pm_card_visa')
    const draft = await draftOf(customer, 4900)
    expect(await client.invoices.del(draft.id)).toMatchObject({ id: draft.id, deleted: true })
    expect(await failure(client.invoices.retrieve(draft.id))).toMatchObject({
      statusCode: 404,
      code: 'resource_missing',
    })
    expect((await client.invoiceItems.list({ customer, pending: true })).data).toMatchObject([{ amount: 4900 }])
  })

  test('is found in the list of its customer since a moment, the newest first', async () => {
    const customer = await customerWith('pm_card_visa')
    const ids = [await draftOf(customer, 1), await draftOf(customer, 2), await draftOf(customer, 3)].map(({ id }) => id)
    const since = Math.floor(Date.now() / 1000) - 60
    const listed: string[] = []
    for await (const { id } of client.invoices.list({ customer, created: { gte: since }, limit: 2 })) listed.push(id)
    expect(listed).toEqual([...ids].reverse())
    expect((await client.invoices.list({ customer, created: { gte: since + 3600 } })).data).toEqual([])
    expect((await client.invoices.list({ customer, status: 'open' })).data).toEqual([])
  })

  test('is not found by the search, which lags', async () => {
    const customer = await customerWith('pm_card_visa')
    await openOf(customer)
    expect((await client.invoices.search({ query: `customer:'${customer}'` })).data).toEqual([])
  })
})

describe('an amount below the smallest charge', () => {
  test('is not charged: the invoice is paid, and the customer owes it', async () => {
    const customer = await customerWith('pm_card_visa')
    const small = await openOf(customer, 49)
    expect(small).toMatchObject({
      status: 'paid',
      total: 49,
      amount_due: 0,
      amount_paid: 0,
      starting_balance: 0,
      ending_balance: 49,
    })
    expect(await client.customers.retrieve(customer)).toMatchObject({ balance: 49 })
    expect(stripe.collected(customer)).toBe(0)
    const next = await openOf(customer, 4900)
    expect(next).toMatchObject({ status: 'open', amount_due: 4949, starting_balance: 49, ending_balance: 0 })
    const entries = await client.customers.listBalanceTransactions(customer)
    expect(entries.data.map(({ amount, type }) => [amount, type])).toEqual([
      [-49, 'applied_to_invoice'],
      [49, 'applied_to_invoice'],
    ])
  })

  test('goes back to the balance when the invoice that took it is void', async () => {
    const customer = await customerWith('pm_card_visa')
    await client.customers.update(customer, { balance: 120 })
    const open = await openOf(customer, 4900)
    expect(open.amount_due).toBe(5020)
    await client.invoices.voidInvoice(open.id)
    expect(await client.customers.retrieve(customer)).toMatchObject({ balance: 120 })
  })

  test('a credit pays first', async () => {
    const customer = await customerWith('pm_card_visa')
    await client.customers.createBalanceTransaction(customer, { amount: -5000, currency: 'brl' })
    expect(await openOf(customer, 4900)).toMatchObject({ status: 'paid', amount_due: 0, ending_balance: -100 })
    expect(await client.customers.retrieve(customer)).toMatchObject({ balance: -100 })
  })
})

describe('cards', () => {
  test('one that is declined when it is to be put on file is not on file', async () => {
    const customer = await customerWith('pm_card_visa')
    const refused = await failure(client.paymentMethods.attach('pm_card_chargeDeclined', { customer }))
    expect(refused).toMatchObject({ statusCode: 402, type: 'StripeCardError', code: 'card_declined' })
    expect((await client.customers.listPaymentMethods(customer)).data).toHaveLength(1)
  })

  test('an unknown one is a 404', async () => {
    const customer = await customerWith()
    const unknown = await failure(client.paymentMethods.attach('pm_card_nobodys', { customer }))
    expect(unknown).toMatchObject({ statusCode: 404, code: 'resource_missing', param: 'payment_method' })
  })

  test('one that demands its owner makes the payment wait for them', async () => {
    const customer = await customerWith('pm_card_authenticationRequired')
    const open = await openOf(customer)
    const waits = await failure(client.invoices.pay(open.id, { off_session: true }))
    expect(waits).toMatchObject({ statusCode: 402, code: 'invoice_payment_intent_requires_action' })
    expect(waits.payment_intent).toMatchObject({ status: 'requires_action', next_action: { type: 'use_stripe_sdk' } })
    await client.invoices.voidInvoice(open.id)
    expect([stripe.collected(customer), stripe.open(customer)]).toEqual([0, 0])
  })

  test('or is declined, as other banks have it', async () => {
    const other = await startLocalStripe({ authentication: 'declined' })
    const declining = other.client()
    const { id: customer } = await declining.customers.create({})
    const { id: card } = await declining.paymentMethods.attach('pm_card_authenticationRequired', { customer })
    const invoice = await declining.invoices.create({ customer, default_payment_method: card })
    await declining.invoiceItems.create({ customer, invoice: invoice.id, amount: 900, currency: 'brl' })
    const declined = await failure(declining.invoices.pay(invoice.id))
    expect(declined).toMatchObject({
      statusCode: 402,
      code: 'authentication_required',
      decline_code: 'authentication_required',
    })
    await other.stop()
  })

  test('without one nothing can be paid, and the invoice stays open', async () => {
    const customer = await customerWith()
    const open = await openOf(customer)
    expect(await failure(client.invoices.pay(open.id))).toMatchObject({ statusCode: 400, code: 'resource_missing' })
    expect(stripe.open(customer)).toBe(1)
  })

  test('only one that is on file can be the default, and one that leaves it is no more', async () => {
    const [customer, other] = [await customerWith('pm_card_visa'), await customerWith()]
    const [{ id: card }] = (await client.customers.listPaymentMethods(customer)).data as [Stripe.PaymentMethod]
    const update = client.customers.update(other, { invoice_settings: { default_payment_method: card } })
    expect(await failure(update)).toMatchObject({
      code: 'resource_missing',
      param: 'invoice_settings[default_payment_method]',
    })
    await client.paymentMethods.detach(card)
    expect(await client.customers.retrieve(customer)).toMatchObject({
      invoice_settings: { default_payment_method: null },
    })
    expect(await failure(client.paymentMethods.detach(card))).toMatchObject({ statusCode: 400 })
    expect(await failure(client.paymentMethods.attach(card, { customer }))).toMatchObject({ statusCode: 400 })
  })
})

describe('refunds', () => {
  test('give back all of a payment, once', async () => {
    const customer = await customerWith('pm_card_visa')
    const paid = await client.invoices.pay((await openOf(customer)).id, { expand: ['payments'] })
    const intent = paid.payments!.data[0]!.payment.payment_intent as string
    const refund = await client.refunds.create({ payment_intent: intent, amount: 900 })
    expect(refund).toMatchObject({ amount: 900, status: 'succeeded', payment_intent: intent })
    expect(await client.refunds.create({ payment_intent: intent })).toMatchObject({ amount: 4000 })
    expect(stripe.collected(customer)).toBe(0)
    const again = await failure(client.refunds.create({ payment_intent: intent }))
    expect(again).toMatchObject({ statusCode: 400, code: 'charge_already_refunded' })
    expect((await client.refunds.list({ payment_intent: intent })).data).toHaveLength(2)
  })
})
