import type { Stripe } from 'stripe'
import type { Found, Metadata, Paid } from '../provider.js'
import { codeOf, isRefusal, Unreadable } from './failures.js'

/** The states of an invoice, which the client's types do not hold anybody to: an unknown one must be seen here. */
const INVOICE_STATES = ['draft', 'open', 'paid', 'uncollectible', 'void'] as const
export type InvoiceState = (typeof INVOICE_STATES)[number]

export const PAGE = 100

/** The state of an invoice; throws Unreadable for one that this adapter does not know. */
export function stateOf({ id, status }: Stripe.Invoice): InvoiceState {
  const state = INVOICE_STATES.find((known) => known === status)
  if (!state) throw new Unreadable(`the invoice ${id} is in the state ${status}, which nobody here knows`)
  return state
}

/** The id of what Stripe tells either whole or by its id. */
export const idOf = (told: string | { id: string }): string => (typeof told === 'string' ? told : told.id)

/** A moment as Stripe counts it, in whole seconds. */
export const secondsOf = (at: Date): number => Math.floor(at.getTime() / 1000)

/** An invoice as it is now, with its payments. */
export const readInvoice = (stripe: Stripe, id: string): Promise<Stripe.Invoice> =>
  stripe.invoices.retrieve(id, { expand: ['payments'] })

/** A customer's invoices since a moment, newest first, with their payments. Unlike Stripe's search, lists do not lag. */
export async function invoicesSince(stripe: Stripe, customer: string, since: Date): Promise<Stripe.Invoice[]> {
  const invoices: Stripe.Invoice[] = []
  const asked = { customer, created: { gte: secondsOf(since) }, limit: PAGE, expand: ['data.payments'] }
  for await (const invoice of stripe.invoices.list(asked)) invoices.push(invoice)
  return invoices
}

/** All lines of an invoice. */
export async function linesOf(stripe: Stripe, invoiceId: string): Promise<Stripe.InvoiceLineItem[]> {
  const lines: Stripe.InvoiceLineItem[] = []
  for await (const line of stripe.invoices.listLineItems(invoiceId, { limit: PAGE })) lines.push(line)
  return lines
}

/** Whether an invoice has these texts among its own. */
export const hasMetadata = ({ metadata }: Stripe.Invoice, sought: Metadata): boolean =>
  Object.entries(sought).every(([name, text]) => metadata?.[name] === text)

/** The subscription from which an invoice comes. */
export function subscriptionOf({ parent }: Stripe.Invoice): string | undefined {
  const subscription = parent?.subscription_details?.subscription
  return subscription ? idOf(subscription) : undefined
}

/** The payments of an invoice that have succeeded, by the ids of their intents. */
export function paymentsOf({ payments }: Stripe.Invoice): string[] {
  return (payments?.data ?? [])
    .filter(({ status }) => status === 'paid')
    .flatMap(({ payment }) => (payment.payment_intent ? [idOf(payment.payment_intent)] : []))
}

/** A paid invoice as an outcome. One that a balance at Stripe has paid is without a payment, and named by itself. */
export const paidOf = (invoice: Stripe.Invoice): Paid => ({
  outcome: 'paid',
  invoiceId: invoice.id,
  paymentId: paymentsOf(invoice)[0] ?? invoice.id,
})

/** Whether something was collected by it: Stripe counts an invoice of 0 as paid. */
export const isCollected = (invoice: Stripe.Invoice): boolean => stateOf(invoice) === 'paid' && invoice.total > 0

/** What has become of a charge, out of all invoices that bear its metadata. */
export function foundAmong(invoices: readonly Stripe.Invoice[]): Found {
  const paid = invoices.find(isCollected)
  if (paid) return paidOf(paid)
  const open = invoices.find((invoice) => ['draft', 'open', 'uncollectible'].includes(stateOf(invoice)))
  return open ? { outcome: 'open', invoiceId: open.id } : { outcome: 'none' }
}

/**
 * Ends an invoice, so that nothing of it is ever collected; resolves to its payment when it is paid. A draft is deleted, and
 * one of a subscription, which cannot be, comes to 0.
 */
export async function endInvoice(stripe: Stripe, invoiceId: string): Promise<Paid | { outcome: 'void' }> {
  const invoice = await existing(() => readInvoice(stripe, invoiceId))
  if (!invoice) return { outcome: 'void' }
  switch (stateOf(invoice)) {
    case 'paid':
      return isCollected(invoice) ? paidOf(invoice) : { outcome: 'void' }
    case 'void':
      return { outcome: 'void' }
    case 'draft':
      await (subscriptionOf(invoice) ? bringToNothing(stripe, invoice) : deleteDraft(stripe, invoice))
      return { outcome: 'void' }
    default:
      return voidOpen(stripe, invoiceId)
  }
}

/** Without a key: that an invoice is void already is seen, while a key that met an error would hear of it for a day. */
async function voidOpen(stripe: Stripe, invoiceId: string): Promise<Paid | { outcome: 'void' }> {
  try {
    await stripe.invoices.voidInvoice(invoiceId)
    return { outcome: 'void' }
  } catch (error) {
    if (!isRefusal(error)) throw error
    // Somebody was faster: it is paid or void by now.
    const invoice = await readInvoice(stripe, invoiceId)
    if (isCollected(invoice)) return paidOf(invoice)
    if (stateOf(invoice) === 'void') return { outcome: 'void' }
    throw error
  }
}

/** Its lines go first: left behind, they would wait for the customer's next invoice. */
async function deleteDraft(stripe: Stripe, { id, total }: Stripe.Invoice): Promise<void> {
  const lines = total === 0 ? [] : await linesOf(stripe, id)
  for (const { parent } of lines) {
    const item = parent?.invoice_item_details?.invoice_item
    if (item) await existing(() => stripe.invoiceItems.del(item))
  }
  await existing(() => stripe.invoices.del(id))
}

/**
 * Without keys, like the rest of an end: what is there already is seen, while a key that met an error would hear of it for a
 * day. It is finalised only once it comes to 0, since less than that would be the customer's balance.
 */
async function bringToNothing(stripe: Stripe, { id, total, currency, customer }: Stripe.Invoice): Promise<void> {
  if (total !== 0) {
    const item = { customer: idOf(customer!), invoice: id, currency, amount: -total, description: 'Not charged' }
    await stripe.invoiceItems.create(item)
  }
  const left = await readInvoice(stripe, id)
  if (left.total !== 0) throw new Unreadable(`the invoice ${id} comes to ${left.total} and not to 0`)
  await stripe.invoices.finalizeInvoice(id, { auto_advance: false })
}

/** What a call answers, or undefined when there is no such thing any more. */
async function existing<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call()
  } catch (error) {
    if (codeOf(error) === 'resource_missing') return undefined
    throw error
  }
}
