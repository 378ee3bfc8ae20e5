import { randomUUID } from 'node:crypto'
import { newCustomer } from '../support/billing-customer.js'
import { startStripeBilling } from '../support/stripe-billing.js'

// Stripe lets no first period of a subscription be longer than a month.

let now = new Date('2026-08-31T00:00:00Z')
let under: Awaited<ReturnType<typeof startStripeBilling>>
beforeAll(async () => {
  under = await startStripeBilling({ clock: () => now })
})
afterAll(() => under.stripe.stop())

const key = () => randomUUID()
const seconds = (iso: string) => Date.parse(iso) / 1000

const customerWithCard = () => newCustomer(under.provider, 'pm_card_visa')

test('what would begin with a longer period waits, alarms nobody, and begins on the 1st', async () => {
  const customerId = await customerWithCard()
  const told = { customerId, seats: 3, seatPriceCents: 4900, currency: 'BRL', anchor: new Date('2026-04-30T23:59:59Z') }
  const same = key()
  const early = await under.provider.setSeats({ ...told, key: same })
  expect(early).toEqual({ outcome: 'transient', reason: 'its first period would be longer than a month' })
  const stripe = under.stripe.client()
  expect((await stripe.subscriptions.list({ customer: customerId, status: 'all' })).data).toEqual([])

  now = new Date('2026-09-01T00:01:00Z')
  expect(await under.provider.setSeats({ ...told, key: same })).toEqual({ outcome: 'set' })
  const { data } = await stripe.subscriptions.list({ customer: customerId, status: 'all' })
  expect(data).toMatchObject([
    { billing_cycle_anchor: seconds('2026-09-30T23:59:59Z'), items: { data: [{ quantity: 3 }] } },
  ])
  const renewed = async () => (await stripe.invoices.list({ customer: customerId })).data.map(({ created }) => created)
  await under.stripe.moveTo(new Date('2026-11-01T00:00:00Z'))
  expect(await renewed()).toEqual(['2026-10-30T23:59:59Z', '2026-09-30T23:59:59Z'].map(seconds))
})

test('one that has begun is told of other seats on such a day, too', async () => {
  now = new Date('2026-12-05T12:00:00Z')
  const customerId = await customerWithCard()
  const told = { customerId, seatPriceCents: 4900, currency: 'BRL', anchor: new Date('2026-04-28T18:00:00Z') }
  expect(await under.provider.setSeats({ ...told, key: key(), seats: 2 })).toEqual({ outcome: 'set' })
  now = new Date('2027-01-31T09:00:00Z')
  expect(await under.provider.setSeats({ ...told, key: key(), seats: 5 })).toEqual({ outcome: 'set' })
  const { data } = await under.stripe.client().subscriptions.list({ customer: customerId })
  expect(data).toMatchObject([{ items: { data: [{ quantity: 5 }] } }])
})
