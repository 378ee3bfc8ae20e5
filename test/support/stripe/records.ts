/** Texts that stay with a record. */
export type Metadata = Record<string, string>

/** Moments are in whole seconds since 1970, amounts in the currency's smallest unit, as on the wire. */
interface Made {
  id: string
  created: number
}

export interface CustomerRecord extends Made {
  name: string | null
  email: string | null
  description: string | null
  phone: string | null
  metadata: Metadata
  /** Above 0 the customer owes it, below 0 has it to their credit; it goes into their next invoice. */
  balance: number
  currency: string | null
  defaultPaymentMethod: string | null
  invoicePrefix: string
  nextInvoice: number
  delinquent: boolean
  deleted: boolean
}

export interface BalanceRecord extends Made {
  customer: string
  amount: number
  endingBalance: number
  currency: string
  type: 'adjustment' | 'applied_to_invoice' | 'unapplied_from_invoice'
  invoice: string | null
  description: string | null
  metadata: Metadata
}

/** How a card behaves; see cards.ts. */
export type CardFate = 'pays' | 'declines' | 'authenticates'

export interface PaymentMethodRecord extends Made {
  customer: string | null
  fate: CardFate
  brand: string
  last4: string
  fingerprint: string
  metadata: Metadata
}

export interface ProductRecord extends Made {
  name: string
  description: string | null
  active: boolean
  updated: number
  metadata: Metadata
}

export interface PriceRecord extends Made {
  product: string
  currency: string
  unitAmount: number
  active: boolean
  nickname: string | null
  lookupKey: string | null
  metadata: Metadata
  recurring: { interval: 'day' | 'week' | 'month' | 'year'; count: number } | null
}

export interface InvoiceItemRecord extends Made {
  customer: string
  invoice: string | null
  amount: number
  quantity: number
  currency: string
  description: string | null
  price: string | null
  subscription: string | null
  period: { start: number; end: number }
  metadata: Metadata
}

export interface LineRecord {
  id: string
  amount: number
  quantity: number
  currency: string
  description: string | null
  price: string | null
  /** What it comes from: an item of the customer, or what a subscription costs for a period. */
  item: string | null
  subscriptionItem: string | null
  subscription: string | null
  period: { start: number; end: number }
  metadata: Metadata
}

export type InvoiceStatus = 'draft' | 'open' | 'paid' | 'void' | 'uncollectible'

export interface InvoiceRecord extends Made {
  customer: string
  currency: string
  status: InvoiceStatus
  autoAdvance: boolean
  billingReason: 'manual' | 'subscription_create' | 'subscription_cycle'
  collectionMethod: 'charge_automatically' | 'send_invoice'
  description: string | null
  footer: string | null
  metadata: Metadata
  subscription: string | null
  subscriptionMetadata: Metadata | null
  defaultPaymentMethod: string | null
  paymentMethodTypes: string[] | null
  lines: LineRecord[]
  number: string | null
  dueDate: number | null
  startingBalance: number
  endingBalance: number | null
  amountDue: number
  amountPaid: number
  attemptCount: number
  attempted: boolean
  /** When a draft is finalised by itself. */
  finalizesAt: number | null
  nextAttempt: number | null
  paymentIntent: string | null
  period: { start: number; end: number }
  finalizedAt: number | null
  paidAt: number | null
  voidedAt: number | null
  uncollectibleAt: number | null
  hooksDeliveredAt: number | null
}

/** What went wrong with the latest attempt at a payment. */
export interface PaymentError {
  code: string
  declineCode?: string
  message: string
  charge?: string
}

export interface IntentRecord extends Made {
  customer: string
  invoice: string
  amount: number
  currency: string
  status: 'requires_payment_method' | 'requires_action' | 'succeeded' | 'canceled'
  paymentMethod: string | null
  received: number
  latestCharge: string | null
  error: PaymentError | null
  canceledAt: number | null
  secret: string
}

export interface ChargeRecord extends Made {
  customer: string
  intent: string
  amount: number
  refunded: number
  currency: string
  status: 'succeeded' | 'failed'
  paymentMethod: string
  failure: PaymentError | null
}

export interface InvoicePaymentRecord extends Made {
  invoice: string
  intent: string
  amount: number
  currency: string
  status: 'open' | 'paid' | 'canceled'
  paidAt: number | null
  canceledAt: number | null
}

export interface RefundRecord extends Made {
  charge: string
  intent: string
  amount: number
  currency: string
  reason: string | null
  metadata: Metadata
}

export interface SubscriptionItemRecord extends Made {
  price: string
  quantity: number
  metadata: Metadata
}

export interface SubscriptionRecord extends Made {
  customer: string
  currency: string
  status: 'active' | 'past_due' | 'incomplete' | 'canceled' | 'unpaid'
  items: SubscriptionItemRecord[]
  metadata: Metadata
  description: string | null
  anchor: number
  periodStart: number
  periodEnd: number
  cancelAtPeriodEnd: boolean
  canceledAt: number | null
  endedAt: number | null
  collectionMethod: 'charge_automatically' | 'send_invoice'
  daysUntilDue: number | null
  defaultPaymentMethod: string | null
  paymentMethodTypes: string[] | null
  /** What becomes of the invoices of its cycles while payment collection is paused. */
  paused: 'keep_as_draft' | 'mark_uncollectible' | 'void' | null
  /** How its anchor was said, if by day and time: a day that a month lacks comes back in a longer one. */
  anchorConfig: { day: number; hour: number; minute: number; second: number } | null
  latestInvoice: string | null
  /** Flexible unless asked otherwise, since 2025-09-30. */
  billingMode: 'classic' | 'flexible'
}

export interface EventRecord extends Made {
  type: string
  object: Record<string, unknown>
  previous: Record<string, unknown> | null
  request: { id: string | null; idempotencyKey: string | null }
  waiting: number
}

export interface EndpointRecord extends Made {
  url: string
  events: string[]
  description: string | null
  metadata: Metadata
  enabled: boolean
  /** While a secret is rotated, two of them sign. */
  secrets: string[]
}
