import type { InvoiceRecord, LineRecord, PriceRecord, SubscriptionRecord } from '../records.js'
import type { World } from '../world.js'
import { addPending, estimate, makeInvoice } from './invoices.js'

type Recurring = NonNullable<PriceRecord['recurring']>

/** The first moment of a subscription's cycles after another, in seconds; a day that a month lacks is its last. */
export function nextCycle(anchor: number, after: number, { interval, count }: Recurring, day?: number): number {
  for (let cycle = 0; ; cycle++) {
    const moment = cycleOf(anchor, cycle * count, interval, day)
    if (moment > after) return moment
  }
}

function cycleOf(anchor: number, cycles: number, interval: Recurring['interval'], day?: number): number {
  if (interval === 'day') return anchor + cycles * 86_400
  if (interval === 'week') return anchor + cycles * 604_800
  const months = interval === 'year' ? cycles * 12 : cycles
  const start = new Date(anchor * 1000)
  const [year, month] = [start.getUTCFullYear(), start.getUTCMonth() + months]
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  const moment = new Date(start)
  moment.setUTCFullYear(year, month, Math.min(day ?? start.getUTCDate(), last))
  return moment.getTime() / 1000
}

/** The next moment of a day of the month and a time, in UTC; of a month that lacks the day its last. */
export function nextOccurrence(now: number, config: NonNullable<SubscriptionRecord['anchorConfig']>): number {
  const today = new Date(now * 1000)
  for (let month = today.getUTCMonth(); ; month++) {
    const last = new Date(Date.UTC(today.getUTCFullYear(), month + 1, 0)).getUTCDate()
    const { day, hour, minute, second } = config
    const moment = Date.UTC(today.getUTCFullYear(), month, Math.min(day, last), hour, minute, second) / 1000
    if (moment > now) return moment
  }
}

/** A draft for what a subscription costs in a period, and what has waited for its customer's next invoice. */
export function billPeriod(
  world: World,
  subscription: SubscriptionRecord,
  reason: 'subscription_create' | 'subscription_cycle',
  period: InvoiceRecord['period'],
): InvoiceRecord {
  const { id, customer, currency, metadata, collectionMethod } = subscription
  const covered = { start: subscription.periodStart, end: subscription.periodEnd }
  const lines = subscription.items.map((item): LineRecord => {
    const price = world.prices.get(item.price)!
    const product = world.products.get(price.product)!
    return {
      id: world.id('il'),
      amount: price.unitAmount * item.quantity,
      quantity: item.quantity,
      currency,
      description: `${item.quantity} × ${product.name} (at ${price.unitAmount / 100} / ${price.recurring!.interval})`,
      price: price.id,
      item: null,
      subscriptionItem: item.id,
      subscription: id,
      period: covered,
      metadata: item.metadata,
    }
  })
  const invoice = makeInvoice(world, {
    customer,
    currency,
    subscription: id,
    subscriptionMetadata: metadata,
    billingReason: reason,
    collectionMethod,
    // Paused: it stays a draft until somebody finalises it (docs.stripe.com/billing/subscriptions/pause-payment).
    autoAdvance: subscription.paused === null,
    paymentMethodTypes: subscription.paymentMethodTypes,
    lines,
    period,
    dueDate: subscription.daysUntilDue === null ? null : world.now + subscription.daysUntilDue * 86_400,
  })
  addPending(world, invoice)
  estimate(world, invoice)
  subscription.latestInvoice = invoice.id
  world.emit('invoice.created', invoice.id)
  return invoice
}

/** What happens at the end of a period: the next one begins with a draft, or the subscription ends. */
export function renew(world: World, subscription: SubscriptionRecord): void {
  if (subscription.cancelAtPeriodEnd) {
    cancelSubscription(world, subscription)
    return
  }
  const before = world.answerOf(subscription.id)
  const ended = { start: subscription.periodStart, end: subscription.periodEnd }
  const { recurring } = world.prices.get(subscription.items[0]!.price)!
  subscription.periodStart = ended.end
  subscription.periodEnd = nextCycle(subscription.anchor, ended.end, recurring!, subscription.anchorConfig?.day)
  // One that is unpaid goes on making drafts, which nobody collects.
  const invoice = billPeriod(world, subscription, 'subscription_cycle', ended)
  if (subscription.status === 'unpaid') invoice.autoAdvance = false
  world.emit('customer.subscription.updated', subscription.id, before)
}

/** Ends a subscription at once; its drafts and open invoices are no more collected by themselves. */
export function cancelSubscription(world: World, subscription: SubscriptionRecord): void {
  subscription.status = 'canceled'
  subscription.canceledAt ??= world.now
  subscription.endedAt = world.now
  for (const invoice of world.invoices.values()) {
    if (invoice.subscription !== subscription.id || (invoice.status !== 'draft' && invoice.status !== 'open')) continue
    invoice.autoAdvance = false
    invoice.finalizesAt = null
    invoice.nextAttempt = null
  }
  world.emit('customer.subscription.deleted', subscription.id)
}
