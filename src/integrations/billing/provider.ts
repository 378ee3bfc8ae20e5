/** An amount in the currency's smallest unit, with the ISO 4217 code of the currency in upper case. */
export interface Amount {
  cents: number
  currency: string
}

/** One line of an invoice, as the agency reads it. */
export interface Line {
  description: string
  cents: number
}

/** Texts that stay with what was made, to find it by. */
export type Metadata = Readonly<Record<string, string>>

/**
 * A call that changes something. One that is repeated with its key and the same content has no second effect and gets the
 * first answer; the same key with other content is refused. Keys are remembered for 24 hours.
 */
export interface Keyed {
  key: string
}

/**
 * Nothing has happened, and the same call may succeed later; `ourFault` when it is wrong in itself, which people must look at.
 * Where `keyIsSpent`, its key would be answered the same after they did.
 */
export interface Transient {
  outcome: 'transient'
  reason: string
  ourFault?: boolean
  keyIsSpent?: boolean
}

/**
 * The answer is not known, so that it may have happened or not. The same call with the same key tells; where `keyIsSpent`
 * it would only hear this again: then reading back tells.
 */
export interface Ambiguous {
  outcome: 'ambiguous'
  reason: string
  keyIsSpent: boolean
}

/** That a call has not come to an end. */
export type Unsettled = Transient | Ambiguous

/** Why a card was not charged; for `authentication_required` its owner would have to be there. */
export type Decline = 'card_declined' | 'authentication_required'

/** The amount was collected. */
export interface Paid {
  outcome: 'paid'
  invoiceId: string
  paymentId: string
}

/** How a charge ended. Of one that was declined nothing is collected later either: its invoice is void. */
export type ChargeOutcome =
  | Paid
  | { outcome: 'declined'; reason: Decline; invoiceId?: string }
  | { outcome: 'no_payment_method' }
  | Unsettled

export interface NewCustomer extends Keyed {
  name: string
  metadata: Metadata
}

export interface NewPaymentMethod extends Keyed {
  customerId: string
  paymentMethod: string
}

export interface Charge extends Keyed, Amount {
  customerId: string
  /** They add up to the amount. */
  lines: readonly Line[]
  /** No two charges of a customer have the same. */
  metadata: Metadata
}

/** What a customer pays at the beginning of a cycle: seats × price, and what was carried over from before. */
export interface Renewal extends Charge {
  seats: number
  seatPriceCents: number
  period: { start: Date; end: Date }
}

/** For how many seats a customer's cycles are renewed from now on; what a change costs within a cycle is charged apart. */
export interface SeatTotal extends Keyed {
  customerId: string
  seats: number
  seatPriceCents: number
  currency: string
  /** The moment on which the cycles are anchored. */
  anchor: Date
}

/** Which charge is looked for. */
export interface Sought {
  customerId: string
  metadata: Metadata
  /** The moment of the first call for it, or one before. */
  since: Date
}

/** The card that charges are paid with; what people know it by is missing where the provider does not tell. */
export interface CardOnFile {
  paymentMethod: string
  brand?: string
  last4?: string
  /** Year and month, such as 2029-08. */
  expires?: string
}

/** How far an invoice is, in Stripe's words. */
export type InvoiceStatus = 'draft' | 'open' | 'paid' | 'uncollectible' | 'void'

/** An invoice as the provider has it. */
export interface HeldInvoice {
  invoiceId: string
  status: InvoiceStatus
  /** What it comes to, and what of it was collected and not given back, in the smallest unit. */
  cents: number
  collectedCents: number
  metadata: Metadata
  /** Whether the provider made it, at the beginning of a cycle. */
  ofCycle: boolean
  createdAt: Date
}

/** All that a provider has of a customer. */
export interface Holdings {
  outcome: 'held'
  card: CardOnFile | null
  /** What the customer owes by the provider's own books, which are to be empty: the balance is in our ledger. */
  balanceCents: number
  /** For how many seats cycles are renewed, by each subscription: at most one. */
  seatTotals: readonly number[]
  invoices: readonly HeldInvoice[]
}

/** What has become of a charge, as read back: `none` if it never came to be or nothing of it can be collected any more. */
export type Found = Paid | { outcome: 'open'; invoiceId: string } | { outcome: 'none' } | Transient

/**
 * Whoever collects money, in the product's words: Stripe, or the sandbox with Stripe's test cards. Outages are outcomes,
 * not exceptions. `test/support/billing-contract.ts` says the rest, and each adapter passes it.
 */
export interface BillingProvider {
  readonly name: 'sandbox' | 'stripe'
  createCustomer(customer: NewCustomer): Promise<{ outcome: 'created'; customerId: string } | Unsettled>
  /** Puts a card on file, in place of an earlier one; charges use it from now on. */
  attachPaymentMethod(
    method: NewPaymentMethod,
  ): Promise<
    | { outcome: 'attached'; paymentMethod: string }
    | { outcome: 'declined'; reason: Decline }
    | { outcome: 'unknown_payment_method' }
    | Unsettled
  >
  /** Collects an amount now from the card on file, without its owner. */
  charge(charge: Charge): Promise<ChargeOutcome>
  /** Collects what a cycle costs; like a charge, at its beginning. */
  renew(renewal: Renewal): Promise<ChargeOutcome>
  /** Looks for a charge by its metadata in the customer's list, which does not lag. */
  find(sought: Sought): Promise<Found>
  /** Ends an invoice that is open, so that nothing of it is collected any more; one that is paid stays so. */
  void(invoice: Keyed & { invoiceId: string }): Promise<{ outcome: 'void' } | Paid | Unsettled>
  /** Gives back all that an invoice has collected. */
  refund(invoice: Keyed & { invoiceId: string }): Promise<{ outcome: 'refunded'; refundId: string } | Unsettled>
  setSeats(total: SeatTotal): Promise<{ outcome: 'set' } | Unsettled>
  /** The card on file as it is now. */
  card(customer: { customerId: string }): Promise<{ outcome: 'known'; card: CardOnFile | null } | Transient>
  /** An invoice as it is now. */
  invoice(invoice: { invoiceId: string }): Promise<{ outcome: 'known'; invoice: HeldInvoice | null } | Transient>
  /** What the provider has of a customer, with the invoices since a moment, for comparing. */
  holdings(customer: { customerId: string; since: Date }): Promise<Holdings | Transient>
  /** Forgets what need not be remembered any more. */
  sweep(): Promise<void>
}
