import type { Stripe } from 'stripe'
import type { ChargeOutcome, Line, Renewal, Transient } from '../provider.js'
import { addLines, collectInvoice, inSteps, invoiceAlone, textsOf } from './collect.js'
import { invoicesSince, linesOf, secondsOf, stateOf, subscriptionOf } from './invoices.js'
import { liveSubscriptions } from './subscriptions.js'

const DAY_MS = 86_400_000
/** Within that time of a cycle's beginning its invoice is made. */
const PATIENCE_MS = DAY_MS
/** What a draft must be changed by stays on it: repeated, the change must be the same. */
const CORRECTION = 'correction'

/**
 * Collects what a cycle costs by the draft that Stripe made of it: it is brought to what the ledger says before it is
 * finalised. Where there is none, or it was declined before, by an invoice of its own.
 */
export function collectRenewal(stripe: Stripe, renewal: Renewal, now: Date): Promise<ChargeOutcome> {
  return inSteps(renewal, async (begun) => {
    const way = await wayOf(stripe, renewal, now)
    if (way === 'alone') return invoiceAlone(stripe, renewal, begun)
    return 'outcome' in way ? way : invoiceByDraft(stripe, way, renewal, begun)
  })
}

/** By which invoice a renewal is collected. A call that is repeated goes the way that it went before. */
async function wayOf(stripe: Stripe, renewal: Renewal, now: Date): Promise<Stripe.Invoice | 'alone' | Transient> {
  const { customerId, key, period } = renewal
  const invoices = await invoicesSince(stripe, customerId, new Date(period.start.getTime() - DAY_MS))
  const mine = invoices.find(({ metadata }) => metadata?.call === key)
  if (mine) return subscriptionOf(mine) ? mine : 'alone'
  const ofCycle: Stripe.Invoice[] = []
  for (const invoice of invoices) {
    if (subscriptionOf(invoice) && (await isOf(stripe, invoice, period.start))) ofCycle.push(invoice)
  }
  const draft = ofCycle.find((invoice) => stateOf(invoice) === 'draft' && !invoice.metadata?.call)
  if (draft) return draft
  if (ofCycle.length > 0) return 'alone'
  return (await isToCome(stripe, renewal, now))
    ? { outcome: 'transient', reason: 'Stripe has not begun the cycle yet' }
    : 'alone'
}

/** Whether an invoice of a subscription is for the cycle that begins then. */
async function isOf(stripe: Stripe, { id, lines }: Stripe.Invoice, start: Date): Promise<boolean> {
  const all = lines.has_more ? await linesOf(stripe, id) : lines.data
  return all.some(
    ({ parent, period }) =>
      parent?.subscription_item_details && Math.abs(period.start - secondsOf(start)) < DAY_MS / 1000,
  )
}

/** Whether Stripe is about to make an invoice of a cycle. */
async function isToCome(stripe: Stripe, { customerId, period: { start } }: Renewal, now: Date): Promise<boolean> {
  if (now.getTime() - start.getTime() > PATIENCE_MS) return false
  const [subscription] = await liveSubscriptions(stripe, customerId)
  return subscription !== undefined && subscription.start_date < secondsOf(start)
}

async function invoiceByDraft(
  stripe: Stripe,
  draft: Stripe.Invoice,
  renewal: Renewal,
  begun: () => void,
): Promise<ChargeOutcome> {
  const kept = draft.metadata?.[CORRECTION]
  const correction = kept === undefined ? await correctionOf(stripe, draft, renewal) : Number(kept)
  const metadata = { ...textsOf(renewal), [CORRECTION]: String(correction) }
  const claim = { metadata, auto_advance: false }
  await stripe.invoices.update(draft.id, claim, { idempotencyKey: `${renewal.key} claim` })
  begun()
  await addLines(stripe, draft.id, renewal, correctionLines(renewal, correction))
  return collectInvoice(stripe, draft.id, renewal)
}

/** By how much the seats of a draft, and whatever else got into it, differ from the seats that the cycle began with. */
async function correctionOf(stripe: Stripe, { id }: Stripe.Invoice, { seats, seatPriceCents }: Renewal) {
  const lines = await linesOf(stripe, id)
  return seats * seatPriceCents - lines.reduce((sum, { amount }) => sum + amount, 0)
}

function correctionLines({ cents, lines, seats, seatPriceCents }: Renewal, correction: number): Line[] {
  const rest = cents - seats * seatPriceCents
  return [
    { description: `Correction to ${seats} ${seats === 1 ? 'seat' : 'seats'}`, cents: correction },
    { description: lines.at(-1)?.description ?? '', cents: rest },
  ].filter((line) => line.cents !== 0)
}
