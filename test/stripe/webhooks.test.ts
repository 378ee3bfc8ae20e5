import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import Stripe from 'stripe'
import { type LocalStripe, signature, startLocalStripe } from '../support/stripe/index.js'

interface Received {
  body: string
  signature: string
}

/** A receiver that answers with what a test says. */
let receiver: Server
let url: string
let answers: number[] = []
let received: Received[] = []
let stripe: LocalStripe
let client: Stripe

beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    received.push({ body: await text(request), signature: request.headers['stripe-signature'] as string })
    response.statusCode = answers.shift() ?? 200
    response.end()
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/webhooks/stripe`
})
afterAll(() => new Promise((resolve) => receiver.close(resolve)))

async function start(options: Parameters<typeof startLocalStripe>[0] = {}): Promise<void> {
  stripe = await startLocalStripe({ deliveries: 'manual', webhooks: [{ url, secrets: ['whsec_one'] }], ...options })
  client = stripe.client()
  ;[answers, received] = [[], []]
}
afterEach(() => stripe.stop())

const typesOf = () => received.map(({ body }) => (JSON.parse(body) as Stripe.Event).type)

async function paidInvoice(): Promise<string> {
  const { id: customer } = await client.customers.create({})
  const card = await client.paymentMethods.attach('pm_card_visa', { customer })
  const invoice = await client.invoices.create({ customer, default_payment_method: card.id })
  await client.invoiceItems.create({ customer, invoice: invoice.id, amount: 4900, currency: 'brl' })
  await client.invoices.finalizeInvoice(invoice.id, { auto_advance: false })
  await client.invoices.pay(invoice.id)
  return invoice.id
}

describe('webhooks', () => {
  test('tell what happened, with the object as it was then, and which call made it', async () => {
    await start()
    const id = await paidInvoice()
    await stripe.deliver()
    expect(typesOf()).toEqual(
      expect.arrayContaining([
        'customer.created',
        'payment_method.attached',
        'invoice.created',
        'invoiceitem.created',
        'payment_intent.created',
        'invoice.finalized',
        'payment_intent.succeeded',
        'charge.succeeded',
        'invoice_payment.paid',
        'invoice.paid',
        'invoice.payment_succeeded',
      ]),
    )
    const finalized = received
      .map(({ body }) => JSON.parse(body) as Stripe.Event)
      .find(({ type }) => type === 'invoice.finalized')
    expect(finalized).toMatchObject({
      object: 'event',
      api_version: expect.any(String),
      data: { object: { id, status: 'open' } },
      request: { id: expect.stringMatching(/^req_/) },
    })
    expect(await client.events.retrieve(finalized!.id)).toMatchObject({
      type: 'invoice.finalized',
      pending_webhooks: 0,
    })
    expect((await client.events.list({ types: ['invoice.paid'] })).data).toMatchObject([{ data: { object: { id } } }])
  })

  test('are signed as the client checks it, on the bytes that were sent', async () => {
    await start()
    await client.customers.create({ name: 'São João' })
    await stripe.deliver()
    const [{ body, signature: header }] = received as [Received]
    expect(Stripe.webhooks.constructEvent(body, header, 'whsec_one')).toMatchObject({ type: 'customer.created' })
    expect(() => Stripe.webhooks.constructEvent(body, header, 'whsec_two')).toThrow(
      Stripe.errors.StripeSignatureVerificationError,
    )
    expect(() => Stripe.webhooks.constructEvent(body.replace('São', 'Sao'), header, 'whsec_one')).toThrow()
  })

  test('of which one is rotated are signed with both secrets', async () => {
    await start({ webhooks: [{ url, secrets: ['whsec_new', 'whsec_old'] }] })
    await client.customers.create({})
    await stripe.deliver()
    const [{ body, signature: header }] = received as [Received]
    for (const secret of ['whsec_new', 'whsec_old']) {
      expect(Stripe.webhooks.constructEvent(body, header, secret)).toMatchObject({ type: 'customer.created' })
    }
  })

  test('an old signature is past the tolerance', async () => {
    await start()
    const seconds = Math.floor(Date.now() / 1000) - 301
    const header = signature('{}', ['whsec_one'], seconds)
    expect(() => Stripe.webhooks.constructEvent('{}', header, 'whsec_one')).toThrow(/tolerance/)
  })

  test('that were not taken come again, later and later', async () => {
    await start()
    await client.customers.create({})
    answers = [500, 302]
    await stripe.deliver()
    expect([received.length, stripe.webhooks.waiting]).toEqual([1, 1])
    await stripe.advance(4 * 60_000)
    await stripe.webhooks.deliver()
    expect(received.length).toBe(1)
    await stripe.advance(60_000)
    await stripe.webhooks.deliver()
    expect([received.length, stripe.webhooks.waiting]).toEqual([2, 1])
    await stripe.advance(30 * 60_000)
    await stripe.webhooks.deliver()
    expect([received.length, stripe.webhooks.waiting]).toEqual([3, 0])
    expect(new Set(typesOf())).toEqual(new Set(['customer.created']))
  })

  test('come in any order and more than once where a test wants it', async () => {
    await start()
    for (let made = 0; made < 12; made++) await client.customers.create({ name: String(made) })
    await stripe.deliver({ shuffle: true, twice: true })
    const names = received.map(
      ({ body }) => (JSON.parse(body) as { data: { object: { name: string } } }).data.object.name,
    )
    expect(names.length).toBe(24)
    expect(new Set(names).size).toBe(12)
    // That twelve come in their order by chance happens once in 479,001,600 times.
    expect(names.filter((_, at) => at % 2 === 0)).not.toEqual(Array.from({ length: 12 }, (_, at) => String(at)))
  })

  test('only of the types that an endpoint wants, and not of one that is off or gone', async () => {
    await start({ webhooks: [] })
    const made = await client.webhookEndpoints.create({ url, enabled_events: ['customer.updated'] })
    expect(made.secret).toMatch(/^whsec_/)
    expect((await client.webhookEndpoints.retrieve(made.id)).secret).toBeUndefined()
    const { id } = await client.customers.create({ name: 'one' })
    await client.customers.update(id, { name: 'two' })
    await stripe.deliver()
    expect(received.map(({ body }) => JSON.parse(body) as Stripe.Event)).toMatchObject([
      { type: 'customer.updated', data: { previous_attributes: { name: 'one' }, object: { name: 'two' } } },
    ])
    await client.webhookEndpoints.update(made.id, { disabled: true })
    await client.customers.update(id, { name: 'three' })
    await client.webhookEndpoints.del(made.id)
    await client.customers.update(id, { name: 'four' })
    await stripe.deliver()
    expect(received.length).toBe(1)
    const wrong = client.webhookEndpoints.create({ url, enabled_events: ['customer.renamed' as 'customer.created'] })
    await expect(wrong).rejects.toMatchObject({ statusCode: 400, param: 'enabled_events[0]' })
  })

  test('are sent by themselves where nobody says otherwise', async () => {
    await start({ deliveries: 'auto' })
    await client.customers.create({})
    while (received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    expect(typesOf()).toEqual(['customer.created'])
  })
})
