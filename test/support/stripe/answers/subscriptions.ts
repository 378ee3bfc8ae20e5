import type { PriceRecord, SubscriptionItemRecord, SubscriptionRecord } from '../records.js'
import { type Answer, complete, inner } from './complete.js'
import { planAnswer, priceAnswer } from './prices.js'

/** Periods are the items' own, no more the subscription's (since 2025-03-31). */
export const subscriptionItemAnswer = (
  item: SubscriptionItemRecord,
  subscription: SubscriptionRecord,
  price: PriceRecord,
): Answer =>
  complete('SubscriptionItem', {
    id: item.id,
    object: 'subscription_item',
    created: item.created,
    current_period_end: subscription.periodEnd,
    current_period_start: subscription.periodStart,
    discounts: [],
    metadata: item.metadata,
    plan: planAnswer(price),
    price: priceAnswer(price),
    quantity: item.quantity,
    subscription: subscription.id,
    tax_rates: [],
  })

const anchorConfigOf = ({ anchorConfig: config }: SubscriptionRecord): Answer | null =>
  config && { day_of_month: config.day, hour: config.hour, minute: config.minute, month: null, second: config.second }

export const subscriptionAnswer = (
  subscription: SubscriptionRecord,
  priceOf: (id: string) => PriceRecord | undefined,
): Answer =>
  complete('Subscription', {
    id: subscription.id,
    object: 'subscription',
    automatic_tax: { disabled_reason: null, enabled: false, liability: null },
    billing_cycle_anchor: subscription.anchor,
    billing_cycle_anchor_config: anchorConfigOf(subscription),
    billing_mode: {
      flexible: subscription.billingMode === 'flexible' ? { proration_discounts: 'included' } : null,
      type: subscription.billingMode,
    },
    billing_schedules: [],
    cancel_at: subscription.cancelAtPeriodEnd ? subscription.periodEnd : null,
    cancel_at_period_end: subscription.cancelAtPeriodEnd,
    canceled_at: subscription.canceledAt,
    cancellation_details: {
      comment: null,
      feedback: null,
      feedback_option: null,
      reason: subscription.canceledAt === null ? null : 'cancellation_requested',
    },
    collection_method: subscription.collectionMethod,
    created: subscription.created,
    currency: subscription.currency,
    customer: subscription.customer,
    days_until_due: subscription.daysUntilDue,
    default_payment_method: subscription.defaultPaymentMethod,
    default_tax_rates: [],
    description: subscription.description,
    discounts: [],
    ended_at: subscription.endedAt,
    invoice_settings: {
      account_tax_ids: null,
      custom_fields: null,
      description: null,
      footer: null,
      issuer: { type: 'self' },
    },
    items: inner(
      subscription.items.map((item) => subscriptionItemAnswer(item, subscription, priceOf(item.price)!)),
      `/v1/subscription_items?subscription=${subscription.id}`,
    ),
    latest_invoice: subscription.latestInvoice,
    metadata: subscription.metadata,
    pause_collection: subscription.paused && { behavior: subscription.paused, resumes_at: null },
    payment_settings: {
      payment_method_options: null,
      payment_method_types: subscription.paymentMethodTypes,
      save_default_payment_method: 'off',
    },
    start_date: subscription.created,
    status: subscription.status,
    trial_settings: { end_behavior: { billing_cycle_anchor: null, missing_payment_method: 'create_invoice' } },
  })
