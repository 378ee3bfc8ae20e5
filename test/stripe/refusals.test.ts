import type Stripe from 'stripe'
import { goneFields, NOT_ALWAYS } from '../support/stripe/answers/check.js'
import { type LocalStripe, startLocalStripe } from '../support/stripe/index.js'
import { handlers } from '../support/stripe/routes.js'
import { stripeTypes } from '../support/stripe/types/schema.js'

let stripe: LocalStripe
let customer: string

beforeAll(async () => {
  stripe = await startLocalStripe()
  customer = (await stripe.client().customers.create({ name: 'Norte Digital' })).id
})
afterAll(() => stripe.stop())

interface Raw {
  verb?: string
  headers?: Record<string, string>
  body?: string
}

/** A call with what the real client would never send. */
async function call(path: string, { verb = 'POST', headers = {}, body }: Raw = {}) {
  const answer = await fetch(`${stripe.base}${path}`, {
    method: verb,
    headers: {
      authorization: `Bearer ${stripe.secretKey}`,
      'stripe-version': stripeTypes.apiVersion,
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  })
  return {
    status: answer.status,
    ...((await answer.json()) as { error: Record<string, unknown>; metadata?: unknown }),
  }
}

describe('parameters', () => {
  test.each([
    ['/v1/customers', 'nickname=x', 'parameter_unknown', 'nickname', 'Received unknown parameter: nickname'],
    ['/v1/customers', 'a=1&b=2', 'parameter_unknown', 'a', 'Received unknown parameters: a, b'],
    ['/v1/customers', 'invoice_settings[card]=x', 'parameter_unknown', 'invoice_settings[card]', /unknown/],
    ['/v1/refunds', 'amount=1.5', 'parameter_invalid_integer', 'amount', 'Invalid integer: 1.5'],
    ['/v1/invoices', 'auto_advance=yes', undefined, 'auto_advance', 'Invalid boolean: yes'],
    ['/v1/invoices', 'collection_method=later', undefined, 'collection_method', /must be one of charge_automatically/],
    ['/v1/invoices', 'currency=', 'parameter_invalid_empty', 'currency', /cannot be unset/],
    ['/v1/invoices', 'customer[id]=x', undefined, 'customer', /Invalid string/],
    ['/v1/invoices', 'expand=payments', undefined, 'expand', 'Invalid array'],
    ['/v1/customers', 'metadata=x', undefined, 'metadata', 'Invalid object'],
    ['/v1/products', '', 'parameter_missing', 'name', 'Missing required param: name.'],
    [
      '/v1/subscriptions',
      'customer=x&items[0][quantity]=many',
      'parameter_invalid_integer',
      'items[0][quantity]',
      /Invalid integer/,
    ],
    ['/v1/subscriptions', 'items[x][price]=p', undefined, 'items', 'Invalid array'],
    [
      '/v1/subscriptions',
      'proration_behavior=None',
      undefined,
      'proration_behavior',
      /create_prorations, or none|none/,
    ],
    ['/v1/invoiceitems', 'unit_amount_decimal=ten', undefined, 'unit_amount_decimal', /Invalid decimal/],
  ])('%s with %s is refused as Stripe does', async (path, body, code, param, message) => {
    const { status, error } = await call(path, { body })
    expect(status).toBe(400)
    expect(error).toMatchObject({ type: 'invalid_request_error', param, message: expect.stringMatching(message) })
    expect(error.code).toBe(code)
    expect(error.request_log_url).toMatch(/^https:\/\/dashboard\.stripe\.com\/test\/logs\/req_/)
    expect(error.doc_url).toEqual(code === undefined ? undefined : expect.stringContaining(code.replaceAll('_', '-')))
  })

  test('metadata has its limits', async () => {
    const [longKey, longValue] = ['k'.repeat(41), 'v'.repeat(501)]
    expect((await call('/v1/customers', { body: `metadata[${longKey}]=1` })).status).toBe(400)
    expect((await call('/v1/customers', { body: `metadata[a]=${longValue}` })).status).toBe(400)
    const many = Array.from({ length: 51 }, (_, at) => `metadata[k${at}]=1`).join('&')
    expect((await call('/v1/customers', { body: many })).status).toBe(400)
    expect((await call('/v1/customers', { body: `metadata[${'k'.repeat(40)}]=${'v'.repeat(500)}` })).status).toBe(200)
  })

  test('metadata is merged, and emptied key by key or at once', async () => {
    const change = async (body: string) => (await call(`/v1/customers/${customer}`, { body })).metadata
    expect(await change('metadata[a]=1&metadata[b]=2')).toEqual({ a: '1', b: '2' })
    expect(await change('metadata[a]=')).toEqual({ b: '2' })
    expect(await change('metadata=')).toEqual({})
  })

  test('a form that is none is refused', async () => {
    expect((await call('/v1/customers', { body: '[a]=1' })).status).toBe(400)
    expect((await call('/v1/customers', { body: 'name=%E0%A4%A' })).status).toBe(400)
    expect((await call('/v1/customers', { body: 'metadata[a]=1&metadata[a][b]=2' })).status).toBe(400)
    const json = { headers: { 'content-type': 'application/json' }, body: '{"name":"x"}' }
    expect((await call('/v1/customers', json)).error.message).toMatch(/content type/)
  })

  test('brackets may be escaped, spaces be pluses', async () => {
    const made = await call('/v1/customers', { body: 'name=Norte+Digital%2C+Lda&metadata%5Ba+b%5D=c%20d' })
    expect(made).toMatchObject({ name: 'Norte Digital, Lda', metadata: { 'a b': 'c d' } })
  })

  test('what Stripe would heed and this server does not is refused loudly', async () => {
    const taxed = await call('/v1/customers', { body: 'tax_exempt=exempt' })
    expect(taxed).toMatchObject({
      status: 501,
      error: { type: 'api_error', message: expect.stringMatching(/does not know this: the parameter tax_exempt/) },
    })
    const { status } = await call('/v1/quotes', { body: '' })
    expect(status).toBe(404)
    expect(stripe.takeComplaints()).toEqual([
      expect.stringContaining('tax_exempt'),
      expect.stringContaining('Unrecognized request URL (POST: /v1/quotes)'),
    ])
  })
})

describe('records that are not there', () => {
  test.each([
    ['GET', '/v1/customers/cus_x', '', 404, "No such customer: 'cus_x'", 'id'],
    ['GET', '/v1/invoices/in_x', '', 404, "No such invoice: 'in_x'", 'id'],
    ['POST', '/v1/invoices', 'customer=cus_x', 400, "No such customer: 'cus_x'", 'customer'],
    ['POST', '/v1/invoices/in_x/pay', '', 404, "No such invoice: 'in_x'", 'id'],
    ['POST', '/v1/refunds', 'payment_intent=pi_x', 400, "No such payment_intent: 'pi_x'", 'payment_intent'],
    ['GET', '/v1/invoices?starting_after=in_x', '', 400, /No such/, 'starting_after'],
  ])('%s %s %s', async (verb, path, body, status, message, param) => {
    const answer = await call(path, verb === 'POST' ? { verb, body } : { verb })
    expect(answer).toMatchObject({ status, error: { type: 'invalid_request_error', code: 'resource_missing', param } })
    expect(answer.error.message).toEqual(expect.stringMatching(message))
  })

  test('one that was deleted is there only to be looked at', async () => {
    const client = stripe.client()
    const { id } = await client.customers.create({})
    await client.customers.del(id)
    expect(await client.customers.retrieve(id)).toEqual(expect.objectContaining({ id, deleted: true }))
    expect((await call(`/v1/customers/${id}`, { body: 'name=x' })).status).toBe(404)
    expect((await call('/v1/invoices', { body: `customer=${id}` })).status).toBe(400)
  })
})

describe('who calls, and how', () => {
  test('without a key, or with another, nothing is answered', async () => {
    const none = await call('/v1/customers', { headers: { authorization: '' }, body: '' })
    expect(none).toMatchObject({ status: 401, error: { type: 'invalid_request_error' } })
    const other = await call('/v1/customers', {
      headers: { authorization: 'Bearer sk_test_wrongwrongwrong' },
      body: '',
    })
    expect(other).toMatchObject({
      status: 401,
      error: { message: expect.stringMatching(/^Invalid API Key provided: sk_test_\*+rong$/) },
    })
  })

  test('another version of the API than the client’s own is refused', async () => {
    const old = await call('/v1/customers', { headers: { 'stripe-version': '2024-06-20' }, body: '' })
    expect(old).toMatchObject({
      status: 400,
      error: { message: expect.stringMatching(/Invalid Stripe API version: 2024-06-20/) },
    })
    const client = stripe.client({ apiVersion: '2025-03-31.basil' as Stripe.StripeConfig['apiVersion'] })
    await expect(client.customers.create({})).rejects.toMatchObject({ statusCode: 400 })
  })
})

describe('expanding', () => {
  test('puts objects in the place of their ids, also in lists', async () => {
    const client = stripe.client()
    const invoice = await client.invoices.create({ customer, expand: ['customer', 'payments'] })
    expect(invoice).toMatchObject({ customer: { id: customer, object: 'customer' }, payments: { data: [] } })
    const list = await client.invoices.list({ customer, expand: ['data.customer'], limit: 1 })
    expect(list.data[0]).toMatchObject({ customer: { id: customer } })
  })

  test.each(['name', 'nothing', 'lines.nothing', 'a.b.c.d.e'])('%s cannot be expanded', async (path) => {
    const { status, error } = await call('/v1/invoices', { body: `customer=${customer}&expand[]=${path}` })
    expect([status, error.type]).toEqual([400, 'invalid_request_error'])
    expect(error.message).toMatch(/cannot (be expanded|expand)/)
  })
})

describe('what it is made of', () => {
  test('each endpoint that was read out of the package is answered, and no other', () => {
    expect(Object.keys(handlers).sort()).toEqual(Object.keys(stripeTypes.endpoints).sort())
  })

  test('what an endpoint takes are parameters of Stripe’s', () => {
    const unknown = Object.entries(handlers).flatMap(([id, { takes = [] }]) =>
      takes
        .filter((name) => !Object.hasOwn(stripeTypes.endpoints[id]!.params.fields, name))
        .map((name) => `${id} ${name}`),
    )
    expect(unknown).toEqual([])
  })

  test('of Stripe’s examples nothing is missing but what the pinned version has no more', () => {
    const gone = Object.keys(stripeTypes.objects).flatMap((name) => goneFields(name).map((field) => `${name}.${field}`))
    expect(gone).toEqual(['Invoice.subscription'])
    expect(NOT_ALWAYS).toEqual(['Charge.refunds', 'PaymentIntent.transfer_data'])
  })

  test('it knows the version that the client pins', () => {
    expect((stripe.client() as unknown as { getApiField(name: string): string }).getApiField('version')).toBe(
      stripeTypes.apiVersion,
    )
  })
})
