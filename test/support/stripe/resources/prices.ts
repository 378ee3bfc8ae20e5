import { notBuilt, refused } from '../errors.js'
import { missingParam, type Params } from '../params.js'
import type { PriceRecord, ProductRecord } from '../records.js'
import type { World } from '../world.js'
import { found, type Handlers, mergeMetadata, named, textOf } from './handler.js'
import { LIST, page } from './lists.js'

interface PriceData {
  currency: string
  product?: string
  product_data?: { name: string; metadata?: Record<string, string> }
  recurring?: { interval: 'day' | 'week' | 'month' | 'year'; interval_count?: number }
  unit_amount?: number
  unit_amount_decimal?: string
}

export function makeProduct(world: World, params: Params): ProductRecord {
  const id = (params.id as string | undefined) ?? world.id('prod').replace('_1', '_')
  if (world.products.has(id)) throw refused('Product already exists.', 'resource_already_exists', 'id')
  const product: ProductRecord = {
    id,
    created: world.now,
    name: params.name as string,
    description: textOf(params.description, null),
    active: (params.active as boolean | undefined) ?? true,
    updated: world.now,
    metadata: mergeMetadata({}, params.metadata),
  }
  world.products.set(id, product)
  world.emit('product.created', id)
  return product
}

/** A price, also one that is given where it is used. */
export function makePrice(world: World, data: PriceData & Params, within = ''): PriceRecord {
  const unit = data.unit_amount ?? wholeOf(data.unit_amount_decimal)
  if (unit === undefined) throw missingParam(within === '' ? 'unit_amount' : `${within}[unit_amount]`)
  const product = data.product_data
    ? makeProduct(world, data.product_data)
    : data.product === undefined
      ? undefined
      : named(world.products, data.product, 'product', within === '' ? 'product' : `${within}[product]`)
  if (!product) throw missingParam(within === '' ? 'product' : `${within}[product]`)
  const price: PriceRecord = {
    id: world.id('price'),
    created: world.now,
    product: product.id,
    currency: data.currency.toLowerCase(),
    unitAmount: unit,
    active: (data.active as boolean | undefined) ?? true,
    nickname: textOf(data.nickname, null),
    lookupKey: textOf(data.lookup_key, null),
    metadata: mergeMetadata({}, data.metadata),
    recurring: data.recurring ? { interval: data.recurring.interval, count: data.recurring.interval_count ?? 1 } : null,
  }
  if (price.lookupKey !== null && [...world.prices.values()].some(({ lookupKey }) => lookupKey === price.lookupKey)) {
    throw refused(`A price (\`${price.id}\`) already uses that lookup key.`, undefined, 'lookup_key')
  }
  world.prices.set(price.id, price)
  world.emit('price.created', price.id)
  return price
}

function wholeOf(decimal: string | undefined): number | undefined {
  if (decimal === undefined) return undefined
  if (!/^\d+(\.0+)?$/.test(decimal)) throw notBuilt('amounts below the smallest unit')
  return Number(decimal)
}

const CREATE = [
  'currency',
  'product',
  'product_data',
  'unit_amount',
  'unit_amount_decimal',
  'recurring',
  'active',
  'nickname',
  'lookup_key',
  'metadata',
  'billing_scheme',
]

export const prices: Handlers = {
  'Products.create': {
    takes: ['id', 'name', 'description', 'active', 'metadata'],
    run: ({ world, params }) => world.answerOf(makeProduct(world, params).id)!,
  },
  'Products.retrieve': { run: ({ world, path }) => world.answerOf(found(world.products, path.id!, 'product').id)! },
  'Products.update': {
    takes: ['name', 'description', 'active', 'metadata'],
    run({ world, path, params }) {
      const record = found(world.products, path.id!, 'product')
      const before = world.answerOf(record.id)
      record.name = textOf(params.name, record.name)!
      record.description = textOf(params.description, record.description)
      record.active = (params.active as boolean | undefined) ?? record.active
      record.metadata = mergeMetadata(record.metadata, params.metadata)
      record.updated = world.now
      world.emit('product.updated', record.id, before)
      return world.answerOf(record.id)!
    },
  },
  'Products.list': {
    takes: [...LIST, 'created', 'active', 'ids'],
    run: ({ world, params }) =>
      page(world, world.products.values(), params, '/v1/products', ({ id, active }) => {
        const ids = params.ids as string[] | undefined
        return (ids?.includes(id) ?? true) && (params.active === undefined || params.active === active)
      }),
  },
  'Prices.create': {
    takes: CREATE,
    run({ world, params }) {
      if (params.billing_scheme === 'tiered') throw notBuilt('billing_scheme: tiered')
      return world.answerOf(makePrice(world, params as unknown as PriceData & Params).id)!
    },
  },
  'Prices.retrieve': { run: ({ world, path }) => world.answerOf(found(world.prices, path.id!, 'price').id)! },
  'Prices.update': {
    takes: ['active', 'nickname', 'metadata'],
    run({ world, path, params }) {
      const price = found(world.prices, path.id!, 'price')
      const before = world.answerOf(price.id)
      price.active = (params.active as boolean | undefined) ?? price.active
      price.nickname = textOf(params.nickname, price.nickname)
      price.metadata = mergeMetadata(price.metadata, params.metadata)
      world.emit('price.updated', price.id, before)
      return world.answerOf(price.id)!
    },
  },
  'Prices.list': {
    takes: [...LIST, 'created', 'active', 'currency', 'product', 'type', 'lookup_keys'],
    run: ({ world, params }) =>
      page(world, world.prices.values(), params, '/v1/prices', (price) => {
        const keys = params.lookup_keys as string[] | undefined
        const { active, currency, product, type } = params
        return (
          (keys === undefined || keys.includes(price.lookupKey ?? '')) &&
          (active === undefined || active === price.active) &&
          (currency === undefined || currency === price.currency) &&
          (product === undefined || product === price.product) &&
          (type === undefined || (type === 'recurring') === (price.recurring !== null))
        )
      }),
  },
}
