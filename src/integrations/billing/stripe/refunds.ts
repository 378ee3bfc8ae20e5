import type { Stripe } from 'stripe'
import type { Transient } from '../provider.js'
import { codeOf, ourFault } from './failures.js'
import { isGivenBack } from './holdings.js'
import { isCollected, PAGE, paymentsOf, readInvoice } from './invoices.js'

/** Gives back all that an invoice has collected; what was given back before stays the only time. */
export async function refundInvoice(
  stripe: Stripe,
  invoiceId: string,
  key: string,
): Promise<{ outcome: 'refunded'; refundId: string } | Transient> {
  const invoice = await readInvoice(stripe, invoiceId)
  const payments = isCollected(invoice) ? paymentsOf(invoice) : []
  if (payments.length === 0) return ourFault(`nothing was paid of ${invoiceId} that could be given back`)
  let refundId = ''
  for (const payment of payments) {
    const refund = await refundPayment(stripe, payment, key)
    if (!refund || !isGivenBack(refund)) return ourFault(`the payment ${payment} cannot be given back`)
    refundId ||= refund.id
  }
  return { outcome: 'refunded', refundId }
}

async function refundPayment(stripe: Stripe, payment: string, key: string): Promise<Stripe.Refund | undefined> {
  try {
    return await stripe.refunds.create({ payment_intent: payment }, { idempotencyKey: `${key} ${payment}` })
  } catch (error) {
    if (codeOf(error) !== 'charge_already_refunded') throw error
    const { data } = await stripe.refunds.list({ payment_intent: payment, limit: PAGE })
    return data.find(isGivenBack)
  }
}
