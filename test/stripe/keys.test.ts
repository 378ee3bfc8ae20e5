import { randomUUID } from 'node:crypto'
import type Stripe from 'stripe'
import { failure } from '../support/stripe/failure.js'
import { Faults } from '../support/stripe/faults.js'
import { type LocalStripe, startLocalStripe } from '../support/stripe/index.js'

let stripe: LocalStripe
let client: Stripe
let now = new Date()

beforeAll(async () => {
  stripe = await startLocalStripe({ clock: () => now })
  client = stripe.client()
})
afterAll(() => stripe.stop())
afterEach(() => stripe.calm())

/** A call of a client that uses a key, with what its answer said in its headers. */
async function create(name: string, idempotencyKey: string) {
  const customer = await client.customers.create({ name }, { idempotencyKey })
  return { id: customer.id, headers: customer.lastResponse.headers }
}

const countOf = async (name: string) => {
  const all = await client.customers.list({ limit: 100 })
  return all.data.filter((customer) => customer.name === name).length
}

describe('idempotency keys', () => {
  test('a repeat gets the first answer, and says so', async () => {
    const [key, name] = [randomUUID(), randomUUID()]
    const [first, again] = [await create(name, key), await create(name, key)]
    expect(again.id).toBe(first.id)
    expect(first.headers['idempotent-replayed']).toBeUndefined()
    expect(again.headers['idempotent-replayed']).toBe('true')
    expect(again.headers['original-request']).toBe(first.headers['request-id'])
    expect(again.headers['request-id']).not.toBe(first.headers['request-id'])
    expect(await countOf(name)).toBe(1)
  })

  test('with other parameters, or at another address, they are refused', async () => {
    const key = randomUUID()
    await create('one', key)
    const other = await failure(client.customers.create({ name: 'other' }, { idempotencyKey: key }))
    expect(other).toMatchObject({ statusCode: 400, type: 'StripeIdempotencyError', rawType: 'idempotency_error' })
    const elsewhere = await failure(client.invoices.create({ customer: 'cus_x' }, { idempotencyKey: key }))
    expect(elsewhere).toMatchObject({ type: 'StripeIdempotencyError', message: expect.stringMatching(/same endpoint/) })
  })

  test('a decline is answered again, when the card is another by now', async () => {
    const { id: customer } = await client.customers.create({})
    const bad = await client.paymentMethods.attach('pm_card_chargeCustomerFail', { customer })
    const invoice = await client.invoices.create({ customer, default_payment_method: bad.id })
    await client.invoiceItems.create({ customer, invoice: invoice.id, amount: 900, currency: 'brl' })
    await client.invoices.finalizeInvoice(invoice.id, { auto_advance: false })
    const idempotencyKey = randomUUID()
    expect(await failure(client.invoices.pay(invoice.id, {}, { idempotencyKey }))).toMatchObject({
      code: 'card_declined',
    })
    const good = await client.paymentMethods.attach('pm_card_visa', { customer })
    await client.invoices.update(invoice.id, { default_payment_method: good.id })
    const again = await failure(client.invoices.pay(invoice.id, {}, { idempotencyKey }))
    expect(again).toMatchObject({ code: 'card_declined', headers: { 'idempotent-replayed': 'true' } })
    expect(await client.invoices.pay(invoice.id, {}, { idempotencyKey: randomUUID() })).toMatchObject({
      status: 'paid',
    })
  })

  test('what was refused for its parameters did not begin, so the key is still free', async () => {
    const [key, name] = [randomUUID(), randomUUID()]
    const wrong = client.customers.create({ name, nickname: 'x' } as Stripe.CustomerCreateParams, {
      idempotencyKey: key,
    })
    expect(await failure(wrong)).toMatchObject({ code: 'parameter_unknown' })
    const { headers } = await create(name, key)
    expect(headers['idempotent-replayed']).toBeUndefined()
    expect(await countOf(name)).toBe(1)
  })

  test('what was refused in the course of it is answered again', async () => {
    const idempotencyKey = randomUUID()
    const call = () => failure(client.invoices.create({ customer: 'cus_nobody' }, { idempotencyKey }))
    expect(await call()).toMatchObject({ code: 'resource_missing', param: 'customer', statusCode: 400 })
    expect(await call()).toMatchObject({ headers: { 'idempotent-replayed': 'true' } })
  })

  test('while a call runs its key is in use', async () => {
    const [key, name] = [randomUUID(), randomUUID()]
    stripe.disturb({ kind: 'slow', path: 'POST /v1/customers$', delayMs: 150 })
    const first = create(name, key)
    // The first is on its way as soon as its fault has been taken.
    while (stripe.faults.left > 0) await new Promise((resolve) => setTimeout(resolve, 5))
    const second = await failure(client.customers.create({ name }, { idempotencyKey: key }))
    expect(second).toMatchObject({ statusCode: 409, code: 'idempotency_key_in_use' })
    const { id } = await first
    expect((await create(name, key)).id).toBe(id)
  })

  test('are remembered for a day', async () => {
    const [key, name] = [randomUUID(), randomUUID()]
    const first = await create(name, key)
    now = new Date(now.getTime() + 24 * 3_600_000 - 1)
    expect((await create(name, key)).id).toBe(first.id)
    now = new Date(now.getTime() + 1)
    expect((await create(name, key)).id).not.toBe(first.id)
  })

  test('count for nothing in calls that only look or delete', async () => {
    const idempotencyKey = randomUUID()
    const { id } = await client.customers.create({})
    expect(await client.customers.retrieve(id, {}, { idempotencyKey })).toMatchObject({ id })
    expect(await client.customers.del(id, {}, { idempotencyKey })).toMatchObject({ deleted: true })
  })
})

describe('faults on demand', () => {
  const key = () => ({ idempotencyKey: randomUUID() })

  test.each(['busy', 'unavailable'] as const)('%s: nothing happens, and the key is free', async (kind) => {
    const [name, options] = [randomUUID(), key()]
    stripe.disturb({ kind })
    const status = { busy: 429, unavailable: 503 }[kind]
    expect(await failure(client.customers.create({ name }, options))).toMatchObject({ statusCode: status })
    expect(await countOf(name)).toBe(0)
    await client.customers.create({ name }, options)
    expect(await countOf(name)).toBe(1)
  })

  test.each([
    ['reset_before', 0],
    ['reset_after', 1],
    ['truncated', 1],
  ] as const)('%s: no answer, and the same key tells', async (kind, happened) => {
    const [name, options] = [randomUUID(), key()]
    stripe.disturb({ kind, path: 'POST /v1/customers$' })
    expect(await failure(client.customers.create({ name }, options))).toMatchObject({ type: 'StripeConnectionError' })
    expect(await countOf(name)).toBe(happened)
    await client.customers.create({ name }, options)
    expect(await countOf(name)).toBe(1)
    expect(stripe.faults.left).toBe(0)
  })

  test('a connection that breaks breaks for the call that the client repeats by itself, and for no other customer', () => {
    const faults = new Faults()
    faults.add({ kind: 'reset_before', customer: 'cus_1' })
    const asks = (customer: string) =>
      faults.take({ verb: 'GET', path: '/v1/subscriptions', customer, repeats: false })?.kind
    const met = ['cus_1', 'cus_2', 'cus_1', 'cus_1'].map(asks)
    expect(met).toEqual(['reset_before', undefined, 'reset_before', undefined])
  })

  test.each([
    ['error_before', 0],
    ['error_after', 1],
  ] as const)('%s: a 500, which the key gets again', async (kind, happened) => {
    const [name, options] = [randomUUID(), key()]
    stripe.disturb({ kind, path: 'POST /v1/customers$' })
    for (const replayed of [undefined, 'true']) {
      const error = await failure(client.customers.create({ name }, options))
      expect(error).toMatchObject({ statusCode: 500, type: 'StripeAPIError' })
      expect(error.headers?.['idempotent-replayed']).toBe(replayed)
    }
    expect(await countOf(name)).toBe(happened)
  })

  test('befall the calls that they are meant for', async () => {
    const [one, other] = [await client.customers.create({}), await client.customers.create({})]
    stripe.disturb({ kind: 'busy', path: 'POST /v1/invoices$', customer: one.id, skip: 1, times: 2 })
    const invoice = (customer: string) => client.invoices.create({ customer })
    await invoice(other.id)
    await invoice(one.id)
    expect(await failure(invoice(one.id))).toMatchObject({ statusCode: 429 })
    await invoice(other.id)
    expect(await failure(invoice(one.id))).toMatchObject({ statusCode: 429 })
    await invoice(one.id)
  })

  test('down: nobody listens, until it comes back', async () => {
    await stripe.goDown()
    const refused = await failure(client.customers.create({}))
    expect(refused).toMatchObject({ type: 'StripeConnectionError', detail: { code: 'ECONNREFUSED' } })
    await stripe.comeBack()
    await client.customers.create({})
  })

  test('a client that does not wait is without an answer, though the call happens', async () => {
    const [name, idempotencyKey] = [randomUUID(), randomUUID()]
    stripe.disturb({ kind: 'slow', path: 'POST /v1/customers$', delayMs: 120 })
    const call = client.customers.create({ name }, { idempotencyKey, timeout: 40, maxNetworkRetries: 0 })
    expect(await failure(call)).toMatchObject({ type: 'StripeConnectionError' })
    while ((await countOf(name)) === 0) await new Promise((resolve) => setTimeout(resolve, 10))
    expect((await create(name, idempotencyKey)).headers['idempotent-replayed']).toBe('true')
  })

  test('a call stands still before its effect, or with its answer, until it is let go', async () => {
    for (const [at, happened] of [
      ['before', 0],
      ['after', 1],
    ] as const) {
      const name = randomUUID()
      const held = stripe.hold(at, { path: 'POST /v1/customers$' })
      const call = client.customers.create({ name })
      await held.met
      expect(await countOf(name)).toBe(happened)
      held.release()
      expect((await call).name).toBe(name)
      expect(await countOf(name)).toBe(1)
    }
  })

  test('too many calls a second are too many', async () => {
    const limited = await startLocalStripe({ perSecond: 3 })
    const calls = Array.from({ length: 12 }, () =>
      limited
        .client()
        .customers.create({})
        .then(
          () => 200,
          (error) => error.statusCode,
        ),
    )
    const statuses = await Promise.all(calls)
    // Twelve at once fall into two seconds at most.
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(6)
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(3)
    await limited.stop()
  })
})
