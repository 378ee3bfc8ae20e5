import type { Stripe } from 'stripe'
import type { SeatTotal, Transient } from '../provider.js'
import { anchorConfig, isBeforeItsMonth } from './anchor.js'
import { codeOf, paramOf, Unreadable } from './failures.js'
import { PAGE } from './invoices.js'

/** The states of a subscription, and whether cycles begin in them. */
const SUBSCRIPTION_STATES: Readonly<Record<string, 'live' | 'ended'>> = {
  active: 'live',
  past_due: 'live',
  trialing: 'live',
  unpaid: 'live',
  incomplete: 'live',
  paused: 'live',
  canceled: 'ended',
  incomplete_expired: 'ended',
}

/** What is sold, at Stripe: one product for all agencies, each of which has its own price. */
const SEAT_PRODUCT = 'fairlead_seat'

/**
 * Stripe makes the invoice of each cycle and leaves it a draft: it is finalised only when it says what the ledger says,
 * however long that takes, and never charges by itself for seats that nobody has.
 */
const KEEP_DRAFTS = { pause_collection: { behavior: 'keep_as_draft' } } as const

/** A customer's subscriptions that have not ended, oldest first: one, unless somebody else has made more. */
export async function liveSubscriptions(stripe: Stripe, customer: string): Promise<Stripe.Subscription[]> {
  const live: Stripe.Subscription[] = []
  for await (const subscription of stripe.subscriptions.list({ customer, status: 'all', limit: PAGE })) {
    if (isLive(subscription)) live.push(subscription)
  }
  return live.sort((a, b) => a.created - b.created)
}

function isLive({ id, status }: Stripe.Subscription): boolean {
  const state = SUBSCRIPTION_STATES[status]
  if (!state) throw new Unreadable(`the subscription ${id} is in the state ${status}, which nobody here knows`)
  return state === 'live'
}

/** The part of a subscription that counts seats. */
export function seatItem({ id, items }: Stripe.Subscription): Stripe.SubscriptionItem {
  const [item] = items.data
  if (!item) throw new Unreadable(`the subscription ${id} is for nothing`)
  return item
}

/**
 * Sets for how many seats cycles are renewed; what changes within a cycle is charged apart, so Stripe prorates nothing. Seats
 * that are free need no subscription, and for a customer without a card Stripe makes none; one whose first period would be too
 * long waits until it is not.
 */
export async function setSeatTotal(
  stripe: Stripe,
  total: SeatTotal,
  now: Date,
): Promise<{ outcome: 'set' } | Transient> {
  const [subscription] = await liveSubscriptions(stripe, total.customerId)
  if (subscription) await change(stripe, subscription, total)
  else if (total.seats > 0 && total.seatPriceCents > 0) {
    if (isBeforeItsMonth(total.anchor, now)) return wait('its first period would be longer than a month')
    const made = await create(stripe, total)
    if (!made) return wait('the customer has no card on file')
    await stripe.subscriptions.update(made.id, KEEP_DRAFTS, { idempotencyKey: `${total.key} drafts` })
  }
  return { outcome: 'set' }
}

/** That there can be no subscription yet, which is nobody's fault. */
const wait = (reason: string): Transient => ({ outcome: 'transient', reason })

async function change(stripe: Stripe, subscription: Stripe.Subscription, total: SeatTotal): Promise<void> {
  const { id, price } = seatItem(subscription)
  const samePrice = price.unit_amount === total.seatPriceCents && price.currency === total.currency.toLowerCase()
  const item = { id, quantity: total.seats, ...(!samePrice && { price_data: priceOf(total) }) }
  await stripe.subscriptions.update(
    subscription.id,
    { items: [item], proration_behavior: 'none', ...KEEP_DRAFTS },
    { idempotencyKey: `${total.key} seats` },
  )
}

async function create(stripe: Stripe, total: SeatTotal): Promise<Stripe.Subscription | undefined> {
  const { key, customerId, seats, anchor } = total
  const subscribe = (attempt: string) =>
    stripe.subscriptions.create(
      {
        customer: customerId,
        items: [{ quantity: seats, price_data: priceOf(total) }],
        billing_cycle_anchor_config: anchorConfig(anchor),
        proration_behavior: 'none',
        collection_method: 'charge_automatically',
        off_session: true,
        payment_settings: { payment_method_types: ['card'] },
      },
      { idempotencyKey: `${key} ${attempt}` },
    )
  try {
    return await unlessCardless(subscribe('subscribe'))
  } catch (error) {
    if (codeOf(error) !== 'resource_missing') throw error
    await makeProduct(stripe)
    return unlessCardless(subscribe('subscribe again'))
  }
}

/** Undefined where a customer has no card: then something is missing, and no parameter is to blame. */
function unlessCardless<T>(made: Promise<T>): Promise<T | undefined> {
  return made.catch((error: unknown) => {
    if (codeOf(error) === 'resource_missing' && paramOf(error) === undefined) return undefined
    throw error
  })
}

async function makeProduct(stripe: Stripe): Promise<void> {
  try {
    await stripe.products.create({ id: SEAT_PRODUCT, name: 'Seat' })
  } catch (error) {
    if (codeOf(error) !== 'resource_already_exists') throw error
  }
}

const priceOf = ({ currency, seatPriceCents }: SeatTotal) => ({
  currency: currency.toLowerCase(),
  product: SEAT_PRODUCT,
  unit_amount: seatPriceCents,
  recurring: { interval: 'month' as const },
})
