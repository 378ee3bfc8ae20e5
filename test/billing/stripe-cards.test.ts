import { randomUUID } from 'node:crypto'
import { newCustomer } from '../support/billing-customer.js'
import { type StripeUnderTest, startStripeBilling } from '../support/stripe-billing.js'

let under: StripeUnderTest
beforeAll(async () => {
  under = await startStripeBilling()
})
afterAll(() => under.stripe.stop())

const key = () => randomUUID()

const renewed = () => ({ seats: 2, seatPriceCents: 4900, currency: 'BRL', anchor: new Date() })

/** A customer who is renewed for two seats, and pays with a card. */
async function customerWith(card: string): Promise<string> {
  const customerId = await newCustomer(under.provider, card)
  expect(await under.provider.setSeats({ key: key(), customerId, ...renewed() })).toEqual({ outcome: 'set' })
  return customerId
}

/** Has the subscription alone pay with another card, as somebody may set it at Stripe. */
async function giveSubscription(customerId: string, card: string): Promise<string> {
  const stripe = under.stripe.client()
  const { id } = await stripe.paymentMethods.attach(card, { customer: customerId })
  const { data } = await stripe.subscriptions.list({ customer: customerId })
  await stripe.subscriptions.update(data[0]!.id, { default_payment_method: id })
  return id
}

const charge = (customerId: string) =>
  under.provider.charge({
    ...{ key: key(), customerId, cents: 4900, currency: 'BRL', metadata: { charge: key() } },
    lines: [{ description: 'Client Aurora: 1 seat', cents: 4900 }],
  })

/** The cards that a customer's money came from. */
const paidWith = (customerId: string) =>
  [...under.stripe.world.charges.values()]
    .filter((one) => one.customer === customerId && one.status === 'succeeded')
    .map((one) => one.paymentMethod)

test('for a customer without a card there is no subscription yet, and nobody is alarmed, be the product new or known', async () => {
  const fresh = await startStripeBilling()
  try {
    for (let times = 0; times < 2; times++) {
      const customerId = await newCustomer(fresh.provider)
      const set = await fresh.provider.setSeats({ key: key(), customerId, ...renewed() })
      expect(set).toEqual({ outcome: 'transient', reason: 'the customer has no card on file' })
    }
  } finally {
    await fresh.stripe.stop()
  }
})

describe('a subscription that has a card of its own', () => {
  test('pays with it what is charged within a cycle, too', async () => {
    const customerId = await customerWith('pm_card_visa')
    const card = await giveSubscription(customerId, 'pm_card_mastercard')
    expect(await charge(customerId)).toMatchObject({ outcome: 'paid' })
    expect(paidWith(customerId)).toEqual([card])
  })

  test('pays with it where the card of the customer would be declined', async () => {
    const customerId = await customerWith('pm_card_chargeCustomerFail')
    expect(await charge(customerId)).toMatchObject({ outcome: 'declined' })
    const card = await giveSubscription(customerId, 'pm_card_visa')
    expect(await charge(customerId)).toMatchObject({ outcome: 'paid' })
    expect(paidWith(customerId)).toEqual([card])
  })

  test('is declined where that card is, whatever the card of the customer is', async () => {
    const customerId = await customerWith('pm_card_visa')
    await giveSubscription(customerId, 'pm_card_chargeCustomerFail')
    expect(await charge(customerId)).toMatchObject({ outcome: 'declined', reason: 'card_declined' })
    expect(paidWith(customerId)).toEqual([])
  })
})
