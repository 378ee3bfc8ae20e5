import type { CustomerRecord, InvoiceItemRecord, InvoiceRecord, LineRecord, PriceRecord } from '../records.js'
import { type Answer, complete, inner } from './complete.js'

const issuer = { type: 'self' }

/** How an amount came about: one of its own, or a price's. */
const pricingOf = (amount: number, quantity: number, price: PriceRecord | undefined): Answer => ({
  ...(price ? { price_details: { price: price.id, product: price.product } } : {}),
  type: 'price_details',
  unit_amount_decimal: price ? String(price.unitAmount) : String(amount / quantity),
})

export const invoiceItemAnswer = (item: InvoiceItemRecord, price: PriceRecord | undefined): Answer =>
  complete('InvoiceItem', {
    id: item.id,
    object: 'invoiceitem',
    amount: item.amount,
    currency: item.currency,
    customer: item.customer,
    date: item.created,
    description: item.description,
    discountable: item.amount >= 0,
    discounts: [],
    invoice: item.invoice,
    metadata: item.metadata,
    net_amount: item.amount,
    parent: item.subscription && {
      subscription_details: { subscription: item.subscription },
      type: 'subscription_details',
    },
    period: item.period,
    pricing: pricingOf(item.amount, item.quantity, price),
    proration: false,
    quantity: item.quantity,
    quantity_decimal: String(item.quantity),
    tax_rates: [],
  })

export const lineAnswer = (line: LineRecord, invoice: string, price: PriceRecord | undefined): Answer =>
  complete('InvoiceLineItem', {
    id: line.id,
    object: 'line_item',
    amount: line.amount,
    currency: line.currency,
    description: line.description,
    discount_amounts: [],
    discountable: line.amount >= 0,
    discounts: [],
    invoice,
    metadata: line.metadata,
    parent: parentOf(line),
    period: line.period,
    pretax_credit_amounts: [],
    pricing: pricingOf(line.amount, line.quantity, price),
    quantity: line.quantity,
    quantity_decimal: String(line.quantity),
    subscription: line.subscription,
    subtotal: line.amount,
    taxes: [],
  })

function parentOf(line: LineRecord): Answer {
  if (line.item !== null) {
    const details = {
      invoice_item: line.item,
      proration: false,
      proration_details: null,
      subscription: line.subscription,
    }
    return { invoice_item_details: details, subscription_item_details: null, type: 'invoice_item_details' }
  }
  const details = {
    invoice_item: null,
    proration: false,
    proration_details: null,
    subscription: line.subscription,
    subscription_item: line.subscriptionItem,
  }
  return { invoice_item_details: null, subscription_item_details: details, type: 'subscription_item_details' }
}

/** What an invoice comes to before what its customer owes or is owed. */
export const totalOf = (invoice: InvoiceRecord) => invoice.lines.reduce((sum, { amount }) => sum + amount, 0)

export function invoiceAnswer(
  invoice: InvoiceRecord,
  customer: CustomerRecord,
  priceOf: (id: string) => PriceRecord | undefined,
): Answer {
  const total = totalOf(invoice)
  const url = `/v1/invoices/${invoice.id}/lines`
  const lines = invoice.lines.map((line) =>
    lineAnswer(line, invoice.id, line.price === null ? undefined : priceOf(line.price)),
  )
  const hosted = invoice.number === null ? null : `https://invoice.stripe.com/i/${invoice.id}`
  return complete('Invoice', {
    id: invoice.id,
    object: 'invoice',
    account_country: 'BR',
    account_name: 'Fairlead',
    amount_due: invoice.amountDue,
    amount_overpaid: 0,
    amount_paid: invoice.amountPaid,
    amount_remaining: invoice.amountDue - invoice.amountPaid,
    amount_shipping: 0,
    attempt_count: invoice.attemptCount,
    attempted: invoice.attempted,
    auto_advance: invoice.autoAdvance,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null, provider: null, status: null },
    automatically_finalizes_at: invoice.finalizesAt,
    billing_reason: invoice.billingReason,
    collection_method: invoice.collectionMethod,
    created: invoice.created,
    currency: invoice.currency,
    customer: invoice.customer,
    customer_email: customer.email,
    customer_name: customer.name,
    customer_phone: customer.phone,
    customer_tax_exempt: 'none',
    customer_tax_ids: [],
    default_payment_method: invoice.defaultPaymentMethod,
    default_tax_rates: [],
    description: invoice.description,
    discounts: [],
    due_date: invoice.dueDate,
    effective_at: invoice.finalizedAt,
    ending_balance: invoice.endingBalance,
    footer: invoice.footer,
    hosted_invoice_url: hosted,
    invoice_pdf: hosted && `${hosted}/pdf`,
    issuer,
    lines: { ...inner(lines.slice(0, 10), url), has_more: lines.length > 10 },
    metadata: invoice.metadata,
    next_payment_attempt: invoice.nextAttempt,
    number: invoice.number,
    parent: invoice.subscription && {
      quote_details: null,
      subscription_details: { metadata: invoice.subscriptionMetadata, subscription: invoice.subscription },
      type: 'subscription_details',
    },
    payment_settings: {
      default_mandate: null,
      payment_method_options: null,
      payment_method_types: invoice.paymentMethodTypes,
    },
    period_end: invoice.period.end,
    period_start: invoice.period.start,
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    starting_balance: invoice.startingBalance,
    status: invoice.status,
    status_transitions: {
      finalized_at: invoice.finalizedAt,
      marked_uncollectible_at: invoice.uncollectibleAt,
      paid_at: invoice.paidAt,
      voided_at: invoice.voidedAt,
    },
    subtotal: total,
    subtotal_excluding_tax: total,
    total,
    total_discount_amounts: [],
    total_excluding_tax: total,
    total_pretax_credit_amounts: [],
    total_taxes: [],
    webhooks_delivered_at: invoice.hooksDeliveredAt,
  })
}
