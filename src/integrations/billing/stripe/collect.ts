import type { Stripe } from 'stripe'
import { smallestCharge } from '../../../shared/smallest-charge.js'
import type { Charge, ChargeOutcome, Line, Transient, Unsettled } from '../provider.js'
import { type Card, cardOf } from './cards.js'
import { declineOf, isRefusal, ourFault, unsettledOf } from './failures.js'
import { endInvoice, isCollected, paidOf, readInvoice, stateOf } from './invoices.js'

/** The texts of an invoice by which its charge, and the call that made it, are found. */
export const textsOf = ({ metadata, key }: Charge): Stripe.MetadataParam => ({ ...metadata, call: key })

/**
 * Collects an amount by an invoice of its own: it has the charge's lines and no other, and Stripe does nothing with it by
 * itself. Each step has a key that follows from the charge's, so that all of it can be repeated from the beginning.
 */
export async function invoiceAlone(stripe: Stripe, charge: Charge, begun: () => void): Promise<ChargeOutcome> {
  const { key, customerId, currency } = charge
  const invoice = await stripe.invoices.create(
    {
      customer: customerId,
      currency: currency.toLowerCase(),
      auto_advance: false,
      collection_method: 'charge_automatically',
      pending_invoice_items_behavior: 'exclude',
      payment_settings: { payment_method_types: ['card'] },
      metadata: textsOf(charge),
    },
    { idempotencyKey: `${key} invoice` },
  )
  begun()
  await addLines(stripe, invoice.id, charge, charge.lines)
  return collectInvoice(stripe, invoice.id, charge)
}

/** Adds lines to a draft. */
export async function addLines(
  stripe: Stripe,
  invoice: string,
  { key, customerId: customer, currency }: Charge,
  lines: readonly Line[],
): Promise<void> {
  for (const [n, { description, cents: amount }] of lines.entries()) {
    const item = { customer, invoice, currency: currency.toLowerCase(), amount, description }
    await stripe.invoiceItems.create(item, { idempotencyKey: `${key} line ${n + 1}` })
  }
}

/** Finalises a draft that has all its lines, and has it paid with the card on file; a decline voids it. */
export async function collectInvoice(
  stripe: Stripe,
  invoiceId: string,
  { key, customerId }: Charge,
): Promise<ChargeOutcome> {
  await stripe.invoices.finalizeInvoice(invoiceId, { auto_advance: false }, { idempotencyKey: `${key} finalize` })
  // The answer just now may be one of long ago.
  const [invoice, card] = await Promise.all([readInvoice(stripe, invoiceId), cardOf(stripe, customerId)])
  if (isCollected(invoice)) return paidOf(invoice)
  if (!card && stateOf(invoice) !== 'void') return endedFor(stripe, invoiceId, { outcome: 'no_payment_method' })
  return pay(stripe, invoiceId, key, card)
}

async function pay(stripe: Stripe, invoiceId: string, key: string, card: Card | undefined): Promise<ChargeOutcome> {
  // The customer's own is what Stripe takes by itself.
  const other = card?.ofSubscription ? { payment_method: card.id } : {}
  try {
    const paid = await stripe.invoices.pay(
      invoiceId,
      { off_session: true, expand: ['payments'], ...other },
      { idempotencyKey: `${key} pay` },
    )
    if (isCollected(paid)) return paidOf(paid)
    return { outcome: 'ambiguous', reason: `the payment is not settled (${stateOf(paid)})`, keyIsSpent: false }
  } catch (error) {
    const reason = declineOf(error)
    if (reason) return endedFor(stripe, invoiceId, { outcome: 'declined', reason, invoiceId })
    if (!isRefusal(error)) throw error
    const invoice = await readInvoice(stripe, invoiceId)
    if (isCollected(invoice)) return paidOf(invoice)
    // It was never asked for under this key: there was no card.
    if (stateOf(invoice) === 'void') return { outcome: 'no_payment_method' }
    throw error
  }
}

/** The outcome once nothing of the invoice can be collected any more. */
async function endedFor(stripe: Stripe, invoiceId: string, outcome: ChargeOutcome) {
  const ended = await endInvoice(stripe, invoiceId)
  return ended.outcome === 'paid' ? ended : outcome
}

/**
 * Carries out the steps of a charge. Once the first was taken something has happened, whatever becomes of the next: then
 * the same call goes on, or reading back tells.
 */
export async function inSteps(
  charge: Charge,
  work: (begun: () => void) => Promise<ChargeOutcome>,
): Promise<ChargeOutcome> {
  const fault = faultOf(charge)
  if (fault) return fault
  let some = false
  try {
    return await work(() => {
      some = true
    })
  } catch (error) {
    return some ? goingOn(unsettledOf(error)) : unsettledOf(error)
  }
}

const goingOn = (failure: Unsettled): Unsettled =>
  failure.outcome === 'transient' && !failure.ourFault
    ? { outcome: 'ambiguous', reason: failure.reason, keyIsSpent: false }
    : failure

function faultOf({ cents, currency, lines }: Charge): Transient | undefined {
  const sum = lines.reduce((total, line) => total + line.cents, 0)
  if (!Number.isSafeInteger(cents) || sum !== cents) return ourFault('the lines do not add up to the amount')
  return cents < smallestCharge(currency) ? ourFault('the amount is below the smallest of its currency') : undefined
}
