import { smallestCharge } from '../../../../src/shared/smallest-charge.js'
import { totalOf } from '../answers/invoices.js'
import { refused } from '../errors.js'
import type { CustomerRecord, InvoiceItemRecord, InvoiceRecord, LineRecord } from '../records.js'
import type { World } from '../world.js'
import { bookOnBalance } from './balance.js'

/** How long a draft that advances by itself stays one. */
export const DRAFT_FOR = 3600
/** How many items an invoice may have. */
const MOST_ITEMS = 250

type NewInvoice = Pick<InvoiceRecord, 'customer' | 'currency'> & Partial<InvoiceRecord>

/** A draft. */
export function makeInvoice(world: World, known: NewInvoice): InvoiceRecord {
  const now = world.now
  const invoice: InvoiceRecord = {
    id: world.id('in'),
    created: now,
    status: 'draft',
    autoAdvance: false,
    billingReason: 'manual',
    collectionMethod: 'charge_automatically',
    description: null,
    footer: null,
    metadata: {},
    subscription: null,
    subscriptionMetadata: null,
    defaultPaymentMethod: null,
    paymentMethodTypes: null,
    lines: [],
    number: null,
    dueDate: null,
    startingBalance: 0,
    endingBalance: null,
    amountDue: 0,
    amountPaid: 0,
    attemptCount: 0,
    attempted: false,
    finalizesAt: null,
    nextAttempt: null,
    paymentIntent: null,
    period: { start: now, end: now },
    finalizedAt: null,
    paidAt: null,
    voidedAt: null,
    uncollectibleAt: null,
    hooksDeliveredAt: null,
    ...known,
  }
  if (invoice.autoAdvance) invoice.finalizesAt ??= now + DRAFT_FOR
  world.invoices.set(invoice.id, invoice)
  return invoice
}

/** Puts an item of the customer on a draft. */
export function addItem(world: World, invoice: InvoiceRecord, item: InvoiceItemRecord): void {
  if (invoice.status !== 'draft') throw notEditable()
  if (invoice.lines.length >= MOST_ITEMS) throw refused(`You can add up to ${MOST_ITEMS} items to an invoice.`)
  if (invoice.currency !== item.currency) {
    throw refused(
      `The currency of the invoice item (${item.currency}) must match the invoice's (${invoice.currency}).`,
      undefined,
      'currency',
    )
  }
  item.invoice = invoice.id
  const { amount, quantity, currency, description, price, subscription, period, metadata } = item
  const line: LineRecord = {
    id: world.id('il'),
    amount,
    quantity,
    currency,
    description,
    price,
    item: item.id,
    subscriptionItem: null,
    subscription,
    period,
    metadata,
  }
  invoice.lines.unshift(line)
  estimate(world, invoice)
}

/** Puts on a draft what has waited for the customer's next one. */
export function addPending(world: World, invoice: InvoiceRecord): void {
  for (const item of world.invoiceItems.values()) {
    const waits = item.customer === invoice.customer && item.invoice === null && item.currency === invoice.currency
    if (waits && (item.subscription === null || item.subscription === invoice.subscription))
      addItem(world, invoice, item)
  }
}

export const notEditable = () => refused('This invoice is no longer editable', 'invoice_not_editable')

/** What a draft would come to if it were finalised now. */
export function estimate(world: World, invoice: InvoiceRecord): void {
  const customer = world.customers.get(invoice.customer)!
  invoice.startingBalance = customer.balance
  invoice.amountDue = dueOf(totalOf(invoice), customer.balance, invoice.currency)
}

/**
 * What is due of a total: with what the customer owes or less what they have to their credit. Nothing if that is below the
 * smallest charge: the invoice is then paid, and the rest stays on their balance (docs.stripe.com/api/invoices/object,
 * `amount_due`; docs.stripe.com/billing/customer/balance).
 */
function dueOf(total: number, balance: number, currency: string): number {
  const sum = total + balance
  return sum < smallestCharge(currency.toUpperCase()) ? 0 : sum
}

/** Makes a draft final: it gets its number, takes the customer's balance, and is paid at once if nothing is due. */
export function finalize(world: World, invoice: InvoiceRecord, autoAdvance = invoice.autoAdvance): void {
  if (invoice.status !== 'draft') {
    throw refused("This invoice is already finalized, you can't re-finalize a non-draft invoice.")
  }
  const customer = world.customers.get(invoice.customer)!
  estimate(world, invoice)
  const before = world.answerOf(invoice.id)
  invoice.endingBalance = invoice.startingBalance + totalOf(invoice) - invoice.amountDue
  invoice.status = 'open'
  invoice.autoAdvance = autoAdvance
  invoice.finalizesAt = null
  invoice.finalizedAt = world.now
  invoice.number = `${customer.invoicePrefix}-${String(customer.nextInvoice++).padStart(4, '0')}`
  applyBalance(world, customer, invoice)
  customer.currency ??= invoice.currency
  if (invoice.amountDue === 0) {
    markPaid(world, invoice)
    world.emit('invoice.finalized', invoice.id)
    tellPaid(world, invoice)
    return
  }
  demandPayment(world, invoice)
  if (autoAdvance && invoice.collectionMethod === 'charge_automatically') invoice.nextAttempt = world.now
  world.emit('invoice.finalized', invoice.id)
  world.emit('invoice.updated', invoice.id, before)
}

function applyBalance(world: World, customer: CustomerRecord, invoice: InvoiceRecord): void {
  const amount = invoice.endingBalance! - invoice.startingBalance
  if (amount === 0) return
  const { currency, id } = invoice
  bookOnBalance(world, customer, amount, { currency, type: 'applied_to_invoice', invoice: id })
}

function demandPayment(world: World, invoice: InvoiceRecord): void {
  const intent = world.id('pi')
  const { customer, currency, amountDue: amount } = invoice
  world.intents.set(intent, {
    id: intent,
    created: world.now,
    customer,
    invoice: invoice.id,
    amount,
    currency,
    status: 'requires_payment_method',
    paymentMethod: null,
    received: 0,
    latestCharge: null,
    error: null,
    canceledAt: null,
    secret: world.id('s').slice(2),
  })
  const payment = world.id('inpay')
  world.invoicePayments.set(payment, {
    id: payment,
    created: world.now,
    invoice: invoice.id,
    intent,
    amount,
    currency,
    status: 'open',
    paidAt: null,
    canceledAt: null,
  })
  invoice.paymentIntent = intent
  world.emit('payment_intent.created', intent)
}

/** An invoice of which nothing more is due. */
export function markPaid(world: World, invoice: InvoiceRecord): void {
  invoice.status = 'paid'
  invoice.paidAt = world.now
  invoice.attempted = true
  invoice.amountPaid = invoice.amountDue
  invoice.nextAttempt = null
  invoice.autoAdvance = false
}

export function tellPaid(world: World, invoice: InvoiceRecord): void {
  world.emit('invoice.paid', invoice.id)
  world.emit('invoice.payment_succeeded', invoice.id)
}

/** Ends an open invoice, so that nothing of it is collected. What it took from the balance goes back. */
export function voidInvoice(world: World, invoice: InvoiceRecord): void {
  if (invoice.status !== 'open' && invoice.status !== 'uncollectible') {
    throw refused(`You can only void open or uncollectible invoices; this one is ${invoice.status}.`)
  }
  const before = world.answerOf(invoice.id)
  const customer = world.customers.get(invoice.customer)!
  const taken = invoice.endingBalance! - invoice.startingBalance
  if (taken !== 0) {
    const { currency, id } = invoice
    bookOnBalance(world, customer, -taken, { currency, type: 'unapplied_from_invoice', invoice: id })
  }
  invoice.status = 'void'
  invoice.voidedAt = world.now
  invoice.nextAttempt = null
  invoice.autoAdvance = false
  cancelPayment(world, invoice)
  world.emit('invoice.voided', invoice.id)
  world.emit('invoice.updated', invoice.id, before)
}

function cancelPayment(world: World, invoice: InvoiceRecord): void {
  const payment = world.paymentOf(invoice)
  const intent = world.intents.get(invoice.paymentIntent ?? '')
  if (!payment || !intent) return
  payment.status = 'canceled'
  payment.canceledAt = world.now
  intent.status = 'canceled'
  intent.canceledAt = world.now
  world.emit('payment_intent.canceled', intent.id)
}
