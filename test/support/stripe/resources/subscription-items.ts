import { invalid, noSuch, notBuilt, refused } from '../errors.js'
import { missingParam } from '../params.js'
import type { PriceRecord, SubscriptionRecord } from '../records.js'
import type { World } from '../world.js'
import { found, type Handlers, mergeMetadata, named } from './handler.js'
import { LIST, page } from './lists.js'
import { makePrice } from './prices.js'

/** An item as a subscription's creation or change names it. */
export interface ItemChange {
  id?: string
  price?: string
  price_data?: Parameters<typeof makePrice>[1]
  quantity?: number
  deleted?: boolean
  metadata?: Record<string, string> | ''
  [other: string]: unknown
}

const KNOWN = ['id', 'price', 'price_data', 'quantity', 'deleted', 'metadata']
/** How many items a subscription may have. */
const MOST = 20

/** The price of an item, which must recur. */
export function priceOfItem(world: World, item: ItemChange, param: string): PriceRecord {
  const other = Object.keys(item).find((name) => !KNOWN.includes(name))
  if (other) throw notBuilt(`${param}[${other}]`)
  if (item.price === undefined && !item.price_data) throw missingParam(`${param}[price]`)
  const price = item.price_data
    ? makePrice(world, item.price_data, `${param}[price_data]`)
    : named(world.prices, item.price, 'price', `${param}[price]`)
  if (!price.recurring) {
    throw invalid(
      'The price specified is set to `type=one_time` but this field only accepts prices with `type=recurring`.',
      `${param}[price]`,
    )
  }
  if (!price.active)
    throw refused(
      `The price specified is inactive. This field only accepts active prices.`,
      'resource_missing',
      `${param}[price]`,
    )
  return price
}

export function newItem(world: World, subscription: SubscriptionRecord, price: PriceRecord, item: ItemChange): void {
  if (subscription.items.length >= MOST) throw refused(`A subscription may have up to ${MOST} items.`)
  if (price.currency !== subscription.currency)
    throw refused('All prices of a subscription must have its currency.', undefined, 'items')
  if (subscription.items.some((one) => one.price === price.id)) {
    throw refused(`Cannot add multiple subscription items with the same plan: ${price.id}`, undefined, 'items')
  }
  subscription.items.push({
    id: world.id('si'),
    created: world.now,
    price: price.id,
    quantity: item.quantity ?? 1,
    metadata: mergeMetadata({}, item.metadata),
  })
}

/** A change of one item; one without an id is a further item. */
export function changeItem(world: World, subscription: SubscriptionRecord, item: ItemChange, param: string): void {
  if (item.id === undefined) {
    newItem(world, subscription, priceOfItem(world, item, param), item)
    return
  }
  const known = subscription.items.find(({ id }) => id === item.id)
  if (!known) throw noSuch('subscription_item', item.id, `${param}[id]`)
  if (item.deleted) {
    if (subscription.items.length === 1) throw refused('A subscription must have at least one active plan.')
    subscription.items = subscription.items.filter(({ id }) => id !== item.id)
    return
  }
  if (item.price !== undefined || item.price_data) known.price = priceOfItem(world, item, param).id
  known.quantity = item.quantity ?? known.quantity
  known.metadata = mergeMetadata(known.metadata, item.metadata)
}

export const subscriptionItems: Handlers = {
  'SubscriptionItems.retrieve': {
    run({ world, path }) {
      const answer = world.answerOf(path.id!)
      if (answer?.object !== 'subscription_item') throw noSuch('subscription_item', path.id!)
      return answer
    },
  },
  'SubscriptionItems.update': {
    takes: ['quantity', 'price', 'metadata', 'proration_behavior', 'payment_behavior', 'off_session'],
    run({ world, path, params }) {
      const id = path.id!
      const subscription = world.subscriptionOfItem(id)
      if (!subscription || subscription.status === 'canceled') throw noSuch('subscription_item', id)
      const changes = params.quantity !== undefined || params.price !== undefined
      if (changes && params.proration_behavior !== 'none')
        throw notBuilt('prorations (proration_behavior other than none)')
      const before = world.answerOf(subscription.id)
      const { quantity, price, metadata } = params as ItemChange
      const item = { id, quantity, price, metadata }
      changeItem(world, subscription, item, '')
      world.emit('customer.subscription.updated', subscription.id, before)
      return world.answerOf(id)!
    },
  },
  'SubscriptionItems.list': {
    takes: [...LIST, 'subscription'],
    run({ world, params }) {
      const subscription = found(world.subscriptions, params.subscription as string, 'subscription')
      return page(world, [...subscription.items].reverse(), params, '/v1/subscription_items')
    },
  },
}
