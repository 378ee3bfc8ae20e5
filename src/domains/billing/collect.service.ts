import { sql } from 'kysely'
import { flushedLater, type Scope, Statement } from '../../database/index.js'
import type { BillingProvider, Charge, ChargeOutcome, Line, Paid, Unsettled } from '../../integrations/billing/index.js'
import type { Clock } from '../../shared/clock.js'
import { invoiceChanged } from './billing.facts.js'
import { type ChargeRow, carriedIsCollected, changeCharge, chargeById } from './charges.service.js'
import { moveCarried, record } from './ledger.service.js'
import { type Terms, termsOf } from './terms.service.js'
import { holdTurn, type Turn } from './turn.service.js'

/** A charge after the provider was asked; `trouble` is why it is not settled yet. */
export type Settled = ChargeRow & {
  /** What the card is charged, in the smallest unit: the charge's own amount and what was carried over, or nothing. */
  total: number
  trouble?: { reason: string; ourFault: boolean }
}

/** The provider remembers keys for a day: near its end nobody counts on that any more. */
const KEY_TRUSTED_MS = 23 * 3_600_000
/** By so much clocks may differ. */
const CLOCK_SLACK_MS = 60_000
const DAY_MS = 86_400_000
const LONGEST_PAUSE_DAYS = 8

const ASKED: readonly ChargeRow['state'][] = ['pending', 'paid', 'applied', 'unpaid']

/** The charge with what it comes to for the card. */
export function settledOf(charge: ChargeRow): Settled {
  const { state, cents, carriedCents, paymentId } = charge
  const collects = state === 'applied' ? paymentId !== null : ASKED.includes(state)
  return { ...charge, total: collects ? cents + carriedCents : 0 }
}

/**
 * Has the provider collect a pending charge, or finds out what became of it, and stores that. May be called as often as one
 * likes, whatever happened before: the card is charged once. No transaction may be open, since this takes time.
 */
export async function collectCharge(
  db: Scope,
  turn: Turn,
  given: Pick<ChargeRow, 'id'>,
  { provider, clock }: { provider: BillingProvider; clock: Clock },
): Promise<Settled> {
  const charge = await chargeById(db, given.id)
  if (charge.state !== 'pending') return settledOf(charge)
  const terms = await termsOf(db)
  const asked = await askable(db, turn, charge, terms, { provider, clock })
  if ('outcome' in asked) return settle(db, turn, charge, asked, clock)
  return settle(db, turn, asked, await ask(provider, asked, terms), clock)
}

/** The charge under a key that the provider can be asked with, or, where reading back tells, how it ended. */
async function askable(
  db: Scope,
  turn: Turn,
  charge: ChargeRow,
  { customerId }: Terms,
  { provider, clock }: { provider: BillingProvider; clock: Clock },
): Promise<ChargeRow | Paid | Unsettled> {
  const now = clock()
  const old = now.getTime() - new Date(charge.calledAt).getTime() > KEY_TRUSTED_MS
  if (!charge.keySpent && !old) return charge
  const found = await readBack(provider, charge, customerId)
  if (found.outcome !== 'none') return found
  return db.transaction(async () => {
    await holdTurn(db, turn)
    return changeCharge(db, charge, { callNumber: charge.callNumber + 1, calledAt: now, keySpent: false })
  })
}

/** What has become of a charge; what is still open is ended first. */
export async function readBack(
  provider: BillingProvider,
  charge: ChargeRow,
  customerId: string,
): Promise<Paid | { outcome: 'none' } | Unsettled> {
  const found = await provider.find({ customerId, metadata: { charge: charge.id }, since: beginningOf(charge) })
  if (found.outcome !== 'open') return found
  const { invoiceId } = found
  const ended = await provider.void({ key: `void ${charge.id} ${charge.callNumber}`, invoiceId })
  return ended.outcome === 'void' ? { outcome: 'none' } : ended
}

/** Before anything was made for a charge. The provider makes the invoice of a cycle as it begins, be the renewal late. */
function beginningOf({ kind, createdAt, periodStart }: ChargeRow): Date {
  const created = new Date(createdAt).getTime()
  const first = kind === 'renewal' ? Math.min(created, new Date(periodStart).getTime() - DAY_MS) : created
  return new Date(first - CLOCK_SLACK_MS)
}

function ask(provider: BillingProvider, charge: ChargeRow, { customerId }: Terms): Promise<ChargeOutcome> {
  const { id, key, kind, cents, carriedCents, currency, description, callNumber } = charge
  const lines: Line[] = [
    { description, cents },
    { description: 'Carried over from earlier', cents: carriedCents },
  ]
  const asked: Charge = {
    key: `charge ${id} ${callNumber}`,
    customerId,
    cents: cents + carriedCents,
    currency,
    lines: lines.filter((line) => line.cents > 0),
    metadata: { charge: id, event: key },
  }
  if (kind !== 'renewal') return provider.charge(asked)
  const { seats, seatPriceCents } = charge
  const period = { start: new Date(charge.periodStart), end: new Date(charge.periodEnd) }
  return provider.renew({ ...asked, seats, seatPriceCents, period })
}

// Were it lost with the database's last moments, the charge is asked for again under the same key, with the same answer;
// what follows from it is committed after it.
const later = new Statement<never>(sql<never>`select ${flushedLater}`, { prepared: true, ofService: true })

function settle(db: Scope, turn: Turn, charge: ChargeRow, outcome: ChargeOutcome, clock: Clock): Promise<Settled> {
  return db.transaction(async () => {
    await holdTurn(db, turn)
    db.send(later, {})
    switch (outcome.outcome) {
      case 'paid':
        return settledOf(await bookPayment(db, charge, outcome, charge.kind === 'renewal' ? 'applied' : 'paid', clock))
      case 'declined':
        return settledOf(await bookDecline(db, charge, outcome, clock))
      case 'no_payment_method':
        return settledOf(await bookDecline(db, charge, { reason: 'no_payment_method' }, clock))
      default: {
        const left = outcome.keyIsSpent ? await changeCharge(db, charge, { keySpent: true }) : charge
        const ourFault = outcome.outcome === 'transient' && outcome.ourFault === true
        return { ...settledOf(left), trouble: { reason: outcome.reason, ourFault } }
      }
    }
  })
}

/** Books what a charge has collected. */
export async function bookPayment(
  db: Scope,
  charge: ChargeRow,
  { invoiceId, paymentId }: Paid,
  state: ChargeRow['state'],
  clock: Clock,
): Promise<ChargeRow> {
  const cents = -(charge.cents + charge.carriedCents)
  await record(db, charge.id, clock(), [{ kind: 'payment', cents, charge: charge.id }])
  if (state === 'applied') await settleCarried(db, charge)
  return changeCharge(db, charge, { state, invoiceId, invoiceStatus: 'paid', paymentId })
}

/** What was carried over counts as paid with the charge that collected it, once nobody can give that up any more. */
export async function settleCarried(db: Scope, charge: ChargeRow): Promise<void> {
  if (charge.carriedCents === 0) return
  for (const key of await carriedIsCollected(db, charge)) await db.announce(invoiceChanged, { key, status: 'paid' })
}

/** A raise that is declined comes to nothing; the cycle of a renewal has begun all the same, and is asked for again later. */
async function bookDecline(
  db: Scope,
  charge: ChargeRow,
  { reason: decline, invoiceId }: { reason: string; invoiceId?: string },
  clock: Clock,
): Promise<ChargeRow> {
  if (charge.kind !== 'renewal') {
    await record(db, charge.id, clock(), moveCarried(charge.id, -charge.carriedCents))
    return changeCharge(db, charge, { state: 'declined', decline })
  }
  const declines = charge.declines + 1
  const retryAt = new Date(clock().getTime() + DAY_MS * Math.min(2 ** charge.declines, LONGEST_PAUSE_DAYS))
  const ended = invoiceId === undefined ? {} : ({ invoiceStatus: 'void' } as const)
  const callNumber = charge.callNumber + 1
  return changeCharge(db, charge, { state: 'unpaid', decline, declines, retryAt, callNumber, ...ended })
}
