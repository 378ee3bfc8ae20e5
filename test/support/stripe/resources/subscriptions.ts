import { finalize } from '../engine/invoices.js'
import { pay } from '../engine/payments.js'
import { billPeriod, cancelSubscription, nextCycle, nextOccurrence } from '../engine/subscriptions.js'
import { invalid, noSuch, notBuilt, refused, StripeFailure } from '../errors.js'
import { missingParam, type Params } from '../params.js'
import type { PriceRecord, SubscriptionRecord } from '../records.js'
import type { World } from '../world.js'
import { mustHave, namedCustomer } from './customers.js'
import { type Handlers, mergeMetadata, paymentMethodTypes, textOf } from './handler.js'
import { LIST, laggingSearch, page } from './lists.js'
import { changeItem, type ItemChange, newItem, priceOfItem } from './subscription-items.js'

/** How many subscriptions of a customer may be active at once. */
const MOST = 500

const CHANGEABLE = [
  'metadata',
  'description',
  'default_payment_method',
  'cancel_at_period_end',
  'collection_method',
  'days_until_due',
  'off_session',
  'payment_settings',
]

/** One that has ended is there only to be retrieved. */
function subscriptionOf(world: World, path: Record<string, string>, ended = false): SubscriptionRecord {
  const subscription = world.subscriptions.get(path.id!)
  if (!subscription || (subscription.status === 'canceled' && !ended)) throw noSuch('subscription', path.id!)
  return subscription
}

function change(world: World, subscription: SubscriptionRecord, params: Params): void {
  const method = params.default_payment_method
  if (method !== undefined && method !== '') {
    mustHave(world, world.customers.get(subscription.customer)!, method, 'default_payment_method')
  }
  if (method !== undefined) subscription.defaultPaymentMethod = textOf(method, null)
  const pause = params.pause_collection as
    | { behavior: SubscriptionRecord['paused']; resumes_at?: number }
    | ''
    | undefined
  if (pause && (pause.behavior !== 'keep_as_draft' || pause.resumes_at)) {
    throw notBuilt('pause_collection other than keep_as_draft without an end')
  }
  if (pause !== undefined) subscription.paused = pause === '' ? null : pause.behavior
  subscription.paymentMethodTypes = paymentMethodTypes(params, subscription.paymentMethodTypes)
  subscription.metadata = mergeMetadata(subscription.metadata, params.metadata)
  subscription.description = textOf(params.description, subscription.description)
  subscription.cancelAtPeriodEnd =
    (params.cancel_at_period_end as boolean | undefined) ?? subscription.cancelAtPeriodEnd
  subscription.canceledAt = subscription.cancelAtPeriodEnd ? world.now : null
  const collection = params.collection_method as SubscriptionRecord['collectionMethod'] | undefined
  const days = params.days_until_due as number | undefined
  if (collection === 'send_invoice' && days === undefined) throw missingParam('days_until_due')
  subscription.collectionMethod = collection ?? subscription.collectionMethod
  subscription.daysUntilDue = days ?? subscription.daysUntilDue
}

/** When a subscription's cycles begin: now, or at a moment before its first would end of itself. */
function anchorOf(world: World, params: Params, price: PriceRecord): number {
  const config = anchorConfigOf(world, params, price)
  const given = params.billing_cycle_anchor as number | undefined
  const anchor = config ? nextOccurrence(world.now, config) : given
  if (anchor === undefined) return world.now
  if (anchor <= world.now) {
    throw invalid(
      '`billing_cycle_anchor` must be in the future; use `backdate_start_date` for a start in the past.',
      'billing_cycle_anchor',
    )
  }
  const latest = nextCycle(world.now, world.now, price.recurring!)
  if (anchor > latest) {
    throw invalid(
      `billing_cycle_anchor cannot be later than next natural billing date (${latest}) for plan`,
      'billing_cycle_anchor',
    )
  }
  // The part of a cycle until then would be charged unless it is said that it is not.
  if (params.proration_behavior !== 'none')
    throw notBuilt('a prorated first invoice (proration_behavior other than none)')
  return anchor
}

/** An anchor that is said by day and time; what is not said of the time is that of the creation. */
function anchorConfigOf(world: World, params: Params, price: PriceRecord): SubscriptionRecord['anchorConfig'] {
  const given = params.billing_cycle_anchor_config as Record<string, number> | undefined
  if (!given) return null
  if (params.billing_cycle_anchor !== undefined) {
    throw refused('You may only specify one of these parameters: billing_cycle_anchor, billing_cycle_anchor_config.')
  }
  if (price.recurring?.interval !== 'month' || given.month !== undefined) throw notBuilt('anchors of other than months')
  const now = new Date(world.time)
  const {
    day_of_month: day,
    hour = now.getUTCHours(),
    minute = now.getUTCMinutes(),
    second = now.getUTCSeconds(),
  } = given
  const within = (name: string, value: number, least: number, most: number) => {
    const param = `billing_cycle_anchor_config[${name}]`
    if (value < least || value > most) throw invalid(`${param} must be between ${least} and ${most}`, param)
  }
  within('day_of_month', day!, 1, 31)
  within('hour', hour, 0, 23)
  within('minute', minute, 0, 59)
  within('second', second, 0, 59)
  return { day: day!, hour, minute, second }
}

function begin(world: World, subscription: SubscriptionRecord, params: Params): void {
  const invoice = billPeriod(world, subscription, 'subscription_create', { start: world.now, end: world.now })
  finalize(world, invoice)
  invoice.nextAttempt = null
  if (invoice.status === 'paid') return
  subscription.status = 'incomplete'
  if (params.payment_behavior === 'default_incomplete') return
  try {
    pay(world, invoice)
  } catch (error) {
    if (params.payment_behavior === 'error_if_incomplete') {
      cancelSubscription(world, subscription)
      throw error
    }
    if (!(error instanceof StripeFailure) || error.status !== 402) throw error
  }
}

export const subscriptions: Handlers = {
  'Subscriptions.create': {
    takes: [
      ...CHANGEABLE,
      'customer',
      'items',
      'currency',
      'billing_cycle_anchor',
      'billing_cycle_anchor_config',
      'proration_behavior',
      'payment_behavior',
      'billing_mode',
    ],
    run({ world, params }) {
      const customer = namedCustomer(world, params.customer)
      const wanted = (params.items as ItemChange[] | undefined) ?? []
      if (wanted.length === 0) throw missingParam('items')
      const active = [...world.subscriptions.values()].filter(
        (one) => one.customer === customer.id && one.status !== 'canceled',
      )
      if (active.length >= MOST)
        throw refused(
          `Customer ${customer.id} already has the maximum ${MOST} current subscriptions.`,
          'customer_max_subscriptions',
        )
      const known = wanted.map((item, at) => ({ ...item, known: priceOfItem(world, item, `items[${at}]`) }))
      const first = known[0]!.known
      const anchor = anchorOf(world, params, first)
      const now = world.now
      const { type } = (params.billing_mode ?? { type: 'flexible' }) as { type: SubscriptionRecord['billingMode'] }
      const subscription: SubscriptionRecord = {
        id: world.id('sub'),
        created: now,
        customer: customer.id,
        currency: first.currency,
        status: 'active',
        items: [],
        metadata: {},
        description: null,
        anchor,
        periodStart: now,
        periodEnd: anchor > now ? anchor : nextCycle(anchor, now, first.recurring!),
        cancelAtPeriodEnd: false,
        canceledAt: null,
        endedAt: null,
        collectionMethod: 'charge_automatically',
        daysUntilDue: null,
        defaultPaymentMethod: null,
        paymentMethodTypes: null,
        paused: null,
        anchorConfig: anchorConfigOf(world, params, first),
        latestInvoice: null,
        billingMode: type,
      }
      change(world, subscription, params)
      for (const item of known) newItem(world, subscription, item.known, item)
      const method = subscription.defaultPaymentMethod ?? customer.defaultPaymentMethod
      if (
        !method &&
        subscription.collectionMethod === 'charge_automatically' &&
        params.payment_behavior !== 'default_incomplete'
      ) {
        throw refused(
          'This customer has no attached payment source or default payment method. Please consider adding a default payment method. For more information, visit https://stripe.com/docs/billing/subscriptions/payment-methods-setting#payment-method-priority.',
          'resource_missing',
        )
      }
      world.subscriptions.set(subscription.id, subscription)
      customer.currency ??= subscription.currency
      // Until a later anchor nothing is charged, so that there is no invoice either.
      if (anchor <= now) begin(world, subscription, params)
      world.emit('customer.subscription.created', subscription.id)
      return world.answerOf(subscription.id)!
    },
  },
  'Subscriptions.retrieve': { run: ({ world, path }) => world.answerOf(subscriptionOf(world, path, true).id)! },
  'Subscriptions.update': {
    takes: [
      ...CHANGEABLE,
      'items',
      'proration_behavior',
      'payment_behavior',
      'billing_cycle_anchor',
      'pause_collection',
    ],
    run({ world, path, params }) {
      const subscription = subscriptionOf(world, path, true)
      if (subscription.status === 'canceled') {
        throw refused('A canceled subscription can only update its cancellation_details and metadata.')
      }
      const items = (params.items as ItemChange[] | undefined) ?? []
      if (items.length > 0 && params.proration_behavior !== 'none')
        throw notBuilt('prorations (proration_behavior other than none)')
      if (params.billing_cycle_anchor === 'now') throw notBuilt('billing_cycle_anchor: now')
      const before = world.answerOf(subscription.id)
      const saved = structuredClone(subscription)
      try {
        for (const [at, item] of items.entries()) changeItem(world, subscription, item, `items[${at}]`)
        change(world, subscription, params)
      } catch (error) {
        // All of a change or nothing.
        Object.assign(subscription, saved)
        throw error
      }
      world.emit('customer.subscription.updated', subscription.id, before)
      return world.answerOf(subscription.id)!
    },
  },
  'Subscriptions.list': {
    takes: [...LIST, 'created', 'customer', 'price', 'status', 'collection_method'],
    run: ({ world, params }) =>
      page(world, world.subscriptions.values(), params, '/v1/subscriptions', (subscription) => {
        const { customer, price, status, collection_method: method } = params
        const ended = subscription.status === 'canceled'
        const fits =
          status === undefined
            ? !ended
            : status === 'all' || (status === 'ended' ? ended : status === subscription.status)
        return (
          fits &&
          (customer === undefined || customer === subscription.customer) &&
          (price === undefined || subscription.items.some((item) => item.price === price)) &&
          (method === undefined || method === subscription.collectionMethod)
        )
      }),
  },
  'Subscriptions.search': { takes: ['query', 'limit', 'page'], run: () => laggingSearch('/v1/subscriptions/search') },
  'Subscriptions.cancel': {
    takes: ['invoice_now', 'prorate'],
    run({ world, path, params }) {
      const subscription = subscriptionOf(world, path)
      if (params.invoice_now || params.prorate) throw notBuilt('invoice_now and prorate')
      cancelSubscription(world, subscription)
      return world.answerOf(subscription.id)!
    },
  },
}
