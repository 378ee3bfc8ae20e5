import { randomUUID } from 'node:crypto'
import { StripeBilling } from '../../src/integrations/billing/index.js'
import { makeAgency, newClient } from '../support/agencies.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { type LocalStripe, signature, startLocalStripe } from '../support/stripe/index.js'

// Stripe tells of what happens to invoices and cards: signed, in any order, more than once.

const [OLD, NEW] = ['whsec_old', 'whsec_new']
let stripe: LocalStripe
let service: TestApp
let provider: StripeBilling
beforeAll(async () => {
  stripe = await startLocalStripe({ deliveries: 'manual' })
  const settings = { secretKey: stripe.secretKey, apiBase: stripe.base, webhookSecrets: [OLD, NEW] }
  provider = new StripeBilling(settings)
  service = await startTestApp({ stripe: settings })
})
afterAll(async () => {
  await service.stop()
  await stripe.stop()
})

interface Told {
  id?: string
  type: string
  object: Record<string, unknown>
}

/** Sends what Stripe would, or something like it. */
async function tell({ id = `evt_${randomUUID()}`, type, object }: Told, { secret = NEW, age = 0, header = '' } = {}) {
  const body = JSON.stringify({ id, object: 'event', type, data: { object } })
  const at = Math.floor(Date.now() / 1000) - age
  const response = await fetch(`${service.origin}/webhooks/stripe`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Stripe-Signature': header || signature(body, [secret], at) },
    body,
  })
  return response.status
}

const query = async <Row extends object>(sql: string, values: unknown[] = []) =>
  (await service.database.pool.query<Row>(sql, values)).rows

const agencyWithSeat = async () => {
  const agency = await makeAgency(service, { provider })
  const { body } = await agency.client.create(newClient({ channels: { whatsapp: 1 } }))
  expect(body.data.billing.invoiceStatus).toBe('paid')
  const [charge] = await query<{ id: string; invoice: string }>(
    'select id, invoice_id as invoice from seat_charge where agency_id = $1',
    [agency.agencyId],
  )
  return { ...agency, eventId: body.event_id as string, charge: charge! }
}
const statusOf = async (charge: string) =>
  (await query<{ status: string }>('select invoice_status as status from seat_charge where id = $1', [charge]))[0]!
    .status

describe('what is told', () => {
  test('is taken with either secret while one is rotated, and refused with any other', async () => {
    const told = { type: 'product.created', object: { id: 'prod_1' } }
    expect(await tell(told, { secret: OLD })).toBe(200)
    expect(await tell(told, { secret: NEW })).toBe(200)
    expect(await tell(told, { secret: 'whsec_other' })).toBe(400)
    expect(await tell(told, { header: 't=1,v1=00' })).toBe(400)
    expect(await tell(told, { age: 600 })).toBe(400)
  })

  test('leaves nothing when it is not signed', async () => {
    const [before] = await query<{ n: number }>('select count(*)::int as n from billing_notice')
    await tell({ type: 'invoice.paid', object: { id: 'in_1', customer: 'cus_1' } }, { header: 'nonsense' })
    const [after] = await query<{ n: number }>('select count(*)::int as n from billing_notice')
    expect(after).toEqual(before)
  })

  test('is limited in size, before anybody looks at it', async () => {
    expect(await tell({ type: 'x', object: { text: 'x'.repeat(1_100_000) } })).toBe(413)
  })

  test('is remembered once, however often it comes and at the same moment', async () => {
    const { customerId } = await agencyWithSeat()
    const told = { id: `evt_${randomUUID()}`, type: 'customer.updated', object: { id: customerId } }
    expect(await Promise.all([1, 2, 3, 4].map(() => tell(told)))).toEqual([200, 200, 200, 200])
    expect(await query('select id from billing_notice where id = $1', [told.id])).toHaveLength(1)
  })

  test('comes again when Stripe cannot be asked what is true', async () => {
    const { customerId, charge } = await agencyWithSeat()
    const told = {
      id: `evt_${randomUUID()}`,
      type: 'invoice.paid',
      object: { id: charge.invoice, customer: customerId },
    }
    stripe.disturb({ kind: 'unavailable', path: 'GET /v1/invoices/' })
    expect(await tell(told)).toBe(503)
    expect(await tell(told)).toBe(200)
  })
})

test('the state of an invoice is what Stripe says now, whatever was told late, and stands in the event', async () => {
  const { customerId, charge, client, eventId } = await agencyWithSeat()
  // As if nobody had heard of the payment.
  await query(`update seat_charge set invoice_status = 'draft' where id = $1`, [charge.id])
  await query(`update agency_event set result = jsonb_set(result, '{billing,invoiceStatus}', '"open"') where id = $1`, [
    eventId,
  ])
  const object = { id: charge.invoice, customer: customerId, status: 'open' }
  await tell({ type: 'invoice.finalized', object })
  expect(await statusOf(charge.id)).toBe('paid')
  await tell({ type: 'invoice.created', object: { ...object, status: 'draft' } })
  expect(await statusOf(charge.id)).toBe('paid')
  expect((await client.event(eventId)).body.data.result.billing.invoiceStatus).toBe('paid')
})

test('the card on file is kept true, and that there is none any more', async () => {
  const { agencyId, customerId } = await agencyWithSeat()
  const card = async () =>
    (await query('select payment_method as id, card from agency where id = $1', [agencyId]))[0] as {
      id: string | null
      card: object | null
    }
  const before = await card()
  await tell({ type: 'customer.updated', object: { id: customerId } })
  expect(await card()).toEqual({ id: before.id, card: expect.objectContaining({ brand: 'visa', last4: '4242' }) })
  await stripe.client().paymentMethods.detach(before.id!)
  await tell({ type: 'customer.updated', object: { id: customerId } })
  expect(await card()).toEqual({ id: null, card: null })
})
