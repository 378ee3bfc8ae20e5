import type { HeldInvoice, Holdings } from '../../integrations/billing/index.js'
import type { Books } from './books.service.js'
import { type ChargeRow, eventOf, isSurplus } from './charges.service.js'

/** How provider and database can differ, each with what is done about it; `people` where only they can tell what is right. */
export const MENDING = {
  /** The provider keeps a balance of its own, which the next invoice would count in. */
  balance: 'people',
  /** An invoice that is none of ours. */
  foreign_invoice: 'people',
  /** More than one subscription renews the cycles. */
  subscriptions: 'people',
  /** What was paid is not what was charged, be it that somebody gave it back. */
  amount: 'people',
  /** A charge counts as paid, and its invoice is not there. */
  missing_invoice: 'people',
  /** A charge has been under way for long: something keeps its event or its renewal from coming to an end. */
  stuck: 'people',
  /** An invoice may be collected still although its charge has come to an end. */
  open_invoice: 'end',
  /** The provider made an invoice of a cycle for which nothing is owed. */
  cycle_draft: 'end',
  /** Something was paid that nobody owed, or twice. */
  not_owed: 'refund',
  /** A renewal counts as unpaid, and is paid. */
  paid_after_all: 'book',
  /** Cycles are renewed for another number of seats. */
  seats: 'tell',
  card: 'store',
  invoice_status: 'store',
} as const satisfies Record<string, 'people' | 'end' | 'refund' | 'book' | 'tell' | 'store'>
export type DifferenceKind = keyof typeof MENDING

/** One thing that provider and database say differently. */
export interface Difference {
  kind: DifferenceKind
  /** What either says, in one sentence; amounts are in the smallest unit. */
  what: string
  invoice?: HeldInvoice
  charge?: ChargeRow
}

/** By then a call is over whose answer was lost, and what comes of it has been seen to. */
const SETTLED_MS = 2 * 3_600_000
/** Clocks differ, and a cycle that begins has its draft before its renewal. */
const YOUNG_MS = 3_600_000

const UNDER_WAY: readonly ChargeRow['state'][] = ['pending', 'paid', 'carried', 'abandoned']
const MAY_BE_COLLECTED: readonly HeldInvoice['status'][] = ['draft', 'open', 'uncollectible']

const isUnderWay = ({ state }: ChargeRow) => UNDER_WAY.includes(state)
const owedBy = ({ cents, carriedCents }: ChargeRow) => cents + carriedCents

/** Where provider and database differ about an agency. What is under way is no difference, unless it has been so for long. */
export function differencesOf(books: Books, held: Holdings, now: Date): Difference[] {
  const found = [...ofCustomer(books, held)]
  for (const invoice of held.invoices) {
    const charge = books.charges.find(({ id }) => id === invoice.metadata.charge)
    const one = charge ? ofOurs(books, held, invoice, charge) : ofNobodys(books, invoice, now)
    if (one) found.push(one)
  }
  for (const charge of books.charges) {
    const age = now.getTime() - new Date(charge.createdAt).getTime()
    if (!isUnderWay(charge) || age < SETTLED_MS) continue
    found.push({ kind: 'stuck', what: `The charge has been ${charge.state} since ${charge.createdAt}.`, charge })
  }
  return found
}

/** The charges that count as paid by an invoice that was not among those that were compared. */
export const withoutInvoice = ({ charges }: Books, held: Holdings): ChargeRow[] =>
  charges.filter((charge) => paidBy(charge) && !held.invoices.some(({ invoiceId }) => invoiceId === charge.invoiceId))

const paidBy = ({ state, paymentId, invoiceId }: ChargeRow): string | null =>
  state === 'applied' && paymentId !== null ? invoiceId : null

function* ofCustomer(books: Books, { balanceCents, seatTotals, card }: Holdings): Generator<Difference> {
  if (balanceCents !== 0) yield { kind: 'balance', what: `The customer's balance is ${balanceCents} and not 0.` }
  if (seatTotals.length > 1) {
    yield {
      kind: 'subscriptions',
      what: `${seatTotals.length} subscriptions renew the cycles, for ${seatTotals.join(' and ')} seats.`,
    }
  } else if (books.isTold) {
    const [total] = seatTotals
    const without = books.seats === 0 || books.seatPriceCents === 0 // these need no subscription
    if (total === undefined ? !without : total !== books.seats) {
      yield { kind: 'seats', what: `Cycles are renewed for ${total ?? 'no'} seats, and ${books.seats} are paid for.` }
    }
  }
  const { paymentMethod = null, ...face } = card ?? {}
  if (paymentMethod !== books.paymentMethod || !sameFace(face, books.card ?? {})) {
    yield {
      kind: 'card',
      what: `The card on file is ${nameOf(paymentMethod, face)} and counts as ${nameOf(books.paymentMethod, books.card ?? {})}.`,
    }
  }
}

type Face = Record<string, string | undefined>
const sameFace = (one: Face, other: Face) =>
  ['brand', 'last4', 'expires'].every((name) => (one[name] ?? null) === (other[name] ?? null))
const nameOf = (method: string | null, { brand, last4, expires }: Face) =>
  method === null ? 'none' : [method, brand, last4, expires].filter(Boolean).join(' ')

function ofNobodys({ renews }: Books, invoice: HeldInvoice, now: Date): Difference | undefined {
  const { invoiceId, status, cents, collectedCents, metadata, ofCycle, createdAt } = invoice
  if (ofCycle && status === 'draft' && metadata.charge === undefined) {
    const isYoung = now.getTime() - createdAt.getTime() < YOUNG_MS
    if (renews || isYoung) return undefined
    return {
      kind: 'cycle_draft',
      what: `The draft ${invoiceId} of a cycle is over ${cents}, and nothing is owed for it.`,
      invoice,
    }
  }
  if (!MAY_BE_COLLECTED.includes(status) && collectedCents <= 0) return undefined
  return {
    kind: 'foreign_invoice',
    what: `The invoice ${invoiceId} over ${cents} is ${status}, and is of no charge.`,
    invoice,
  }
}

function ofOurs({ charges }: Books, held: Holdings, invoice: HeldInvoice, charge: ChargeRow): Difference | undefined {
  if (isUnderWay(charge)) return undefined
  const { invoiceId, status, collectedCents } = invoice
  const found = (kind: DifferenceKind, what: string): Difference => ({ kind, what, invoice, charge })
  const paid = paidBy(charge)
  if (paid === invoiceId) return ofPayment(invoice, charge)
  if (MAY_BE_COLLECTED.includes(status)) {
    return found('open_invoice', `The invoice ${invoiceId} is ${status}; its charge is ${charge.state}.`)
  }
  if (collectedCents <= 0) return undefined
  const surplus = charges.find((one) => isSurplus(one) && one.invoiceId === invoiceId)
  if (surplus && isUnderWay(surplus)) return undefined
  const said = `The invoice ${invoiceId} has collected ${collectedCents}`
  if (charge.state === 'unpaid') {
    return collectedCents === owedBy(charge)
      ? found('paid_after_all', `${said}, and the renewal counts as unpaid.`)
      : found('amount', `${said} of a renewal that came to ${owedBy(charge)} and counts as unpaid.`)
  }
  // Where the payment that counts is not there, this may be the one.
  const owed = paid !== null && !held.invoices.some((one) => one.invoiceId === paid && one.collectedCents > 0)
  if (owed) return found('amount', `${said} for a charge that counts as paid by ${paid}, which has collected nothing.`)
  return found('not_owed', `${said}; the charge is ${charge.state}${paid === null ? '' : ` and paid by ${paid}`}.`)
}

/** Of the invoice by which a charge counts as paid. */
function ofPayment(invoice: HeldInvoice, charge: ChargeRow): Difference | undefined {
  const { invoiceId, status, cents, collectedCents } = invoice
  if (collectedCents !== owedBy(charge) || cents !== owedBy(charge)) {
    const said = `The invoice ${invoiceId} is ${status}, over ${cents}, and has collected ${collectedCents}`
    return { kind: 'amount', what: `${said}; the charge came to ${owedBy(charge)} and is paid.`, invoice, charge }
  }
  if (status === charge.invoiceStatus) return undefined
  const what = `The invoice ${invoiceId} is ${status} and counts as ${charge.invoiceStatus}.`
  return { kind: 'invoice_status', what, invoice, charge }
}

/** What a difference is known by, so that it is found again. */
export const sameDifference = (one: Difference, other: Difference): boolean =>
  one.kind === other.kind && one.invoice?.invoiceId === other.invoice?.invoiceId && one.charge?.id === other.charge?.id

/** The event or renewal that a difference is about. */
export const keyOf = ({ charge }: Difference): string | undefined => charge && eventOf(charge)
