import type { Stripe } from 'stripe'
import type { HeldInvoice, Holdings } from '../provider.js'
import { describeCard, readCustomer } from './cards.js'
import { Unreadable } from './failures.js'
import { invoicesSince, PAGE, paymentsOf, stateOf, subscriptionOf } from './invoices.js'
import { liveSubscriptions, seatItem } from './subscriptions.js'

/** All that Stripe has of a customer, with the invoices since a moment. */
export async function holdingsOf(stripe: Stripe, customerId: string, since: Date): Promise<Holdings> {
  const [customer, card, subscriptions, invoices] = await Promise.all([
    readCustomer(stripe, customerId),
    describeCard(stripe, customerId),
    liveSubscriptions(stripe, customerId),
    invoicesSince(stripe, customerId, since),
  ])
  const held: HeldInvoice[] = []
  for (const invoice of invoices) held.push(await heldOf(stripe, invoice))
  return {
    outcome: 'held',
    card,
    balanceCents: customer.balance,
    seatTotals: subscriptions.map((subscription) => seatItem(subscription).quantity ?? 0),
    invoices: held,
  }
}

/** An invoice in the product's words, with what was given back of it. */
export async function heldOf(stripe: Stripe, invoice: Stripe.Invoice): Promise<HeldInvoice> {
  const status = stateOf(invoice)
  let collectedCents = status === 'paid' ? invoice.total : 0
  for (const payment_intent of paymentsOf(invoice)) {
    for await (const refund of stripe.refunds.list({ payment_intent, limit: PAGE })) {
      if (isGivenBack(refund)) collectedCents -= refund.amount
    }
  }
  return {
    invoiceId: invoice.id,
    status,
    cents: invoice.total,
    collectedCents,
    metadata: invoice.metadata ?? {},
    ofCycle: subscriptionOf(invoice) !== undefined,
    createdAt: new Date(invoice.created * 1000),
  }
}

const GIVEN_BACK: Readonly<Record<string, boolean>> = {
  succeeded: true,
  pending: true,
  requires_action: false,
  failed: false,
  canceled: false,
}

/** Whether a refund has been made, or will be without anybody's help. */
export function isGivenBack({ id, status }: Stripe.Refund): boolean {
  const known = GIVEN_BACK[status ?? '']
  if (known === undefined) throw new Unreadable(`the refund ${id} is in the state ${status}, which nobody here knows`)
  return known
}
