import type { PriceRecord, ProductRecord } from '../records.js'
import { type Answer, complete } from './complete.js'

export const productAnswer = (product: ProductRecord): Answer =>
  complete('Product', {
    id: product.id,
    object: 'product',
    active: product.active,
    created: product.created,
    default_price: null,
    description: product.description,
    images: [],
    marketing_features: [],
    metadata: product.metadata,
    name: product.name,
    statement_descriptor: null,
    tax_code: null,
    type: 'service',
    unit_label: null,
    updated: product.updated,
  })

export const priceAnswer = (price: PriceRecord): Answer =>
  complete('Price', {
    id: price.id,
    object: 'price',
    active: price.active,
    billing_scheme: 'per_unit',
    created: price.created,
    currency: price.currency,
    lookup_key: price.lookupKey,
    metadata: price.metadata,
    nickname: price.nickname,
    product: price.product,
    recurring: price.recurring && {
      interval: price.recurring.interval,
      interval_count: price.recurring.count,
      meter: null,
      trial_period_days: null,
      usage_type: 'licensed',
    },
    tax_behavior: 'unspecified',
    type: price.recurring ? 'recurring' : 'one_time',
    unit_amount: price.unitAmount,
    unit_amount_decimal: String(price.unitAmount),
  })

/** What a recurring price was before there were prices; items of subscriptions still show it. */
export const planAnswer = (price: PriceRecord): Answer =>
  complete('Plan', {
    id: price.id,
    object: 'plan',
    active: price.active,
    amount: price.unitAmount,
    amount_decimal: String(price.unitAmount),
    billing_scheme: 'per_unit',
    created: price.created,
    currency: price.currency,
    interval: price.recurring?.interval,
    interval_count: price.recurring?.count,
    metadata: price.metadata,
    nickname: price.nickname,
    product: price.product,
    usage_type: 'licensed',
  })
