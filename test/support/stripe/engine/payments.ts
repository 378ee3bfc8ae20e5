import { errorAnswer } from '../answers/payments.js'
import { refused, StripeFailure } from '../errors.js'
import type { ChargeRecord, IntentRecord, InvoiceRecord, PaymentError, PaymentMethodRecord } from '../records.js'
import type { World } from '../world.js'
import { finalize, markPaid, tellPaid } from './invoices.js'

const NO_METHOD =
  'This customer has no attached payment source or default payment method. Please consider adding a default payment method. For more information, visit https://stripe.com/docs/billing/subscriptions/payment-methods-setting#payment-method-priority.'
const DECLINED = 'Your card was declined.'
const AUTHENTICATE = 'Your card was declined. This transaction requires authentication.'
// stripe-node issue 628: a card error with this code is what paying an invoice answers, and the payment waits.
const WAITS =
  'Payment for this invoice requires additional user action before it can be completed successfully. Payment can be completed using the PaymentIntent associated with the invoice. For more details see: https://docs.stripe.com/billing/subscriptions/overview#requires-action'

/** When a payment that failed is tried again, in seconds after the failure; then no more. */
const RETRIES = [3, 5, 7].map((days) => days * 86_400)

/**
 * The card that an invoice is paid with: its own, its subscription's, its customer's
 * (docs.stripe.com/billing/subscriptions/payment-methods-setting).
 */
export function methodFor(world: World, invoice: InvoiceRecord, chosen?: string): PaymentMethodRecord | undefined {
  const ids = [
    chosen,
    invoice.defaultPaymentMethod,
    world.subscriptions.get(invoice.subscription ?? '')?.defaultPaymentMethod,
    world.customers.get(invoice.customer)?.defaultPaymentMethod,
  ]
  return world.paymentMethods.get(ids.find((id) => typeof id === 'string') ?? '')
}

/** Collects an invoice from a card on file, without its owner; a failure is a card error, and the invoice stays open. */
export function pay(world: World, invoice: InvoiceRecord, chosen?: string): void {
  if (invoice.status === 'paid') throw refused('Invoice is already paid')
  if (invoice.status === 'void') throw refused('You cannot pay an invoice that was voided.')
  const method = methodFor(world, invoice, chosen)
  if (!method && invoice.amountDue > 0) throw refused(NO_METHOD, 'resource_missing')
  if (invoice.status === 'draft') {
    finalize(world, invoice)
    // Nothing was due: it is paid by now.
    if (world.invoices.get(invoice.id)!.status === 'paid') return
  }
  const intent = world.intents.get(invoice.paymentIntent!)!
  const error = attempt(world, invoice, intent, method!)
  if (error) throw failureOf(world, error, intent, method!)
}

/** One attempt of Stripe's own, or of whoever asks for it; what went wrong, if anything. */
export function attempt(
  world: World,
  invoice: InvoiceRecord,
  intent: IntentRecord,
  method: PaymentMethodRecord,
): PaymentError | undefined {
  const before = world.answerOf(invoice.id)
  invoice.attempted = true
  invoice.attemptCount += 1
  intent.paymentMethod = method.id
  const waits = method.fate === 'authenticates' && world.settings.authentication === 'requires_action'
  const failed = errorOf(world, method)
  if (failed && waits) intent.status = 'requires_action'
  else charge(world, intent, method, failed)
  if (!failed) {
    succeed(world, invoice, intent)
    return undefined
  }
  if (!waits) intent.status = 'requires_payment_method'
  intent.error = waits ? null : failed
  invoice.nextAttempt = invoice.autoAdvance ? nextAttempt(world, invoice) : null
  if (waits) world.emit('payment_intent.requires_action', intent.id)
  else world.emit('payment_intent.payment_failed', intent.id)
  if (waits) world.emit('invoice.payment_action_required', invoice.id)
  world.emit('invoice.payment_failed', invoice.id)
  world.emit('invoice.updated', invoice.id, before)
  fail(world, invoice)
  return failed
}

/** An attempt of Stripe's own where there is no card: it has failed. */
export function attemptWithoutCard(world: World, invoice: InvoiceRecord): void {
  const before = world.answerOf(invoice.id)
  invoice.attempted = true
  invoice.attemptCount += 1
  invoice.nextAttempt = nextAttempt(world, invoice)
  world.emit('invoice.payment_failed', invoice.id)
  world.emit('invoice.updated', invoice.id, before)
  fail(world, invoice)
}

function nextAttempt(world: World, invoice: InvoiceRecord): number | null {
  const after = RETRIES[invoice.attemptCount - 1]
  return after === undefined ? null : world.now + after
}

function errorOf(world: World, { fate }: PaymentMethodRecord): PaymentError | undefined {
  if (fate === 'pays') return undefined
  if (fate === 'declines') return { code: 'card_declined', declineCode: 'generic_decline', message: DECLINED }
  if (world.settings.authentication === 'requires_action') {
    return { code: 'invoice_payment_intent_requires_action', message: WAITS }
  }
  return { code: 'authentication_required', declineCode: 'authentication_required', message: AUTHENTICATE }
}

function charge(
  world: World,
  intent: IntentRecord,
  method: PaymentMethodRecord,
  failure: PaymentError | undefined,
): void {
  const id = world.id('ch')
  const made: ChargeRecord = {
    id,
    created: world.now,
    customer: intent.customer,
    intent: intent.id,
    amount: intent.amount,
    refunded: 0,
    currency: intent.currency,
    status: failure ? 'failed' : 'succeeded',
    paymentMethod: method.id,
    failure: failure ?? null,
  }
  if (failure) failure.charge = id
  world.charges.set(id, made)
  intent.latestCharge = id
  world.emit(failure ? 'charge.failed' : 'charge.succeeded', id)
}

function succeed(world: World, invoice: InvoiceRecord, intent: IntentRecord): void {
  intent.status = 'succeeded'
  intent.received = intent.amount
  intent.error = null
  const payment = world.paymentOf(invoice)!
  payment.status = 'paid'
  payment.paidAt = world.now
  const before = world.answerOf(invoice.id)
  markPaid(world, invoice)
  world.customers.get(invoice.customer)!.delinquent = false
  world.emit('payment_intent.succeeded', intent.id)
  world.emit('invoice_payment.paid', payment.id)
  tellPaid(world, invoice)
  world.emit('invoice.updated', invoice.id, before)
  changeStatus(world, invoice, 'active')
}

function fail(world: World, invoice: InvoiceRecord): void {
  if (invoice.subscription === null) return
  world.customers.get(invoice.customer)!.delinquent = true
  const last = invoice.nextAttempt === null && invoice.autoAdvance
  changeStatus(world, invoice, last ? world.settings.afterRetries : 'past_due')
}

/** What a payment says of its subscription; of one that has ended, nothing. */
function changeStatus(
  world: World,
  invoice: InvoiceRecord,
  status: 'active' | 'past_due' | 'unpaid' | 'canceled',
): void {
  const subscription = world.subscriptions.get(invoice.subscription ?? '')
  if (!subscription || subscription.status === 'canceled' || subscription.status === status) return
  // The first payment is another matter: until it succeeds the subscription is incomplete.
  if (subscription.status === 'incomplete' && status !== 'active') return
  const before = world.answerOf(subscription.id)
  subscription.status = status
  if (status === 'canceled') subscription.canceledAt = subscription.endedAt = world.now
  world.emit(
    status === 'canceled' ? 'customer.subscription.deleted' : 'customer.subscription.updated',
    subscription.id,
    before,
  )
}

function failureOf(
  world: World,
  error: PaymentError,
  intent: IntentRecord,
  method: PaymentMethodRecord,
): StripeFailure {
  const { message, code, doc_url: _url, type: _type, ...more } = errorAnswer(error, method) as Record<string, unknown>
  return new StripeFailure(message as string, {
    status: 402,
    type: 'card_error',
    code: code as string,
    more: { ...more, payment_intent: world.answerOf(intent.id) },
  })
}
