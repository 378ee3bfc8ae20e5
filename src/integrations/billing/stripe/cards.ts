import type { Stripe } from 'stripe'
import type { CardOnFile, Decline, NewPaymentMethod, Unsettled } from '../provider.js'
import { codeOf, declineOf, paramOf, settled, Unreadable } from './failures.js'
import { idOf } from './invoices.js'
import { liveSubscriptions } from './subscriptions.js'

/** What a customer's charges are paid with. */
export interface Card {
  id: string
  /** Whether it is that of the subscription, which comes before the customer's own. */
  ofSubscription: boolean
}

/** The card that Stripe would take: the subscription's, otherwise the customer's default. */
export async function cardOf(stripe: Stripe, customerId: string): Promise<Card | undefined> {
  const [customer, subscriptions] = await Promise.all([
    readCustomer(stripe, customerId),
    liveSubscriptions(stripe, customerId),
  ])
  for (const { default_payment_method: method, default_source: source } of subscriptions) {
    const own = method ?? source
    if (own) return { id: idOf(own), ofSubscription: true }
  }
  const usual = customer.invoice_settings.default_payment_method ?? customer.default_source
  return usual ? { id: idOf(usual), ofSubscription: false } : undefined
}

/** A customer; throws Unreadable for one that was deleted. */
export async function readCustomer(stripe: Stripe, id: string): Promise<Stripe.Customer> {
  const customer = await stripe.customers.retrieve(id)
  if (customer.deleted) throw new Unreadable(`the customer ${id} was deleted at Stripe`)
  return customer
}

/** The card on file with what people know it by; null when there is none. */
export async function describeCard(stripe: Stripe, customerId: string): Promise<CardOnFile | null> {
  const used = await cardOf(stripe, customerId)
  if (!used) return null
  const { card } = await stripe.paymentMethods.retrieve(used.id)
  if (!card) return { paymentMethod: used.id }
  const expires = `${card.exp_year}-${String(card.exp_month).padStart(2, '0')}`
  return { paymentMethod: used.id, brand: card.brand, last4: card.last4, expires }
}

type Attached =
  | { outcome: 'attached'; paymentMethod: string }
  | { outcome: 'declined'; reason: Decline }
  | { outcome: 'unknown_payment_method' }
  | Unsettled

/** Makes a card the customer's default; one that a subscription has of its own would come before it and goes. */
export function attachCard(stripe: Stripe, { key, customerId, paymentMethod }: NewPaymentMethod): Promise<Attached> {
  return settled(async (): Promise<Attached> => {
    let id: string
    try {
      const attached = { customer: customerId }
      id = (await stripe.paymentMethods.attach(paymentMethod, attached, { idempotencyKey: `${key} attach` })).id
    } catch (error) {
      const reason = declineOf(error)
      if (reason) return { outcome: 'declined', reason }
      const unknown = codeOf(error) === 'resource_missing' && paramOf(error) !== 'customer'
      if (unknown) return { outcome: 'unknown_payment_method' }
      throw error
    }
    const usual = { invoice_settings: { default_payment_method: id } }
    await stripe.customers.update(customerId, usual, { idempotencyKey: `${key} default` })
    for (const subscription of await liveSubscriptions(stripe, customerId)) {
      if (!subscription.default_payment_method) continue
      const none = { default_payment_method: '' }
      await stripe.subscriptions.update(subscription.id, none, { idempotencyKey: `${key} ${subscription.id}` })
    }
    return { outcome: 'attached', paymentMethod: id }
  })
}
