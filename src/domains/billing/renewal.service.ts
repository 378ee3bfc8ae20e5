import { sql } from 'kysely'
import { type Database, param, type Scope, Statement } from '../../database/index.js'
import type { BillingProvider } from '../../integrations/billing/index.js'
import { type Clock, systemClock } from '../../shared/clock.js'
import { cycleOf } from '../../shared/cycles.js'
import { smallestCharge } from '../../shared/smallest-charge.js'
import { addCharge, changeCharge } from './charges.service.js'
import { collectCharge } from './collect.service.js'
import { alarmAt, forEachAgency } from './each-agency.service.js'
import { moveCarried, record } from './ledger.service.js'
import { seatsBefore } from './seats.service.js'
import { termsOf } from './terms.service.js'
import { holdTurn, type Turn, type TurnPace } from './turn.service.js'

// What is prepared within a cycle may still add seats to it.
const unfinished = new Statement<{ id: string }>(
  sql<{ id: string }>`select id from seat_charge where agency_id = ${param('agency')} and kind <> 'renewal'
    and state in ('pending', 'paid', 'carried') and at < ${param('end')} limit 1`,
)
const advance = new Statement<never>(
  sql<never>`update billing_standing set cycle = ${param('cycle')}, renews_at = ${param('renewsAt')}
    where agency_id = ${param('agency')}`,
)
const dueAgain = new Statement<{ id: string }>(
  sql<{ id: string }>`update seat_charge set state = 'pending', called_at = ${param('now')}
    where agency_id = ${param('agency')} and kind = 'renewal' and state = 'unpaid' and retry_at <= ${param('now')}
    returning id`,
)
const pending = new Statement<{ id: string }>(
  sql<{ id: string }>`select id from seat_charge where agency_id = ${param('agency')} and kind = 'renewal'
    and state = 'pending' order by at`,
)

const DUE = `select agency_id as id from billing_standing where renews_at <= $1
  union select agency_id from seat_charge where kind = 'renewal'
    and (state = 'pending' or state = 'unpaid' and retry_at <= $1)`

interface Renewing {
  provider: BillingProvider
  clock?: Clock
  pace?: TurnPace
}

/** Renews the agencies whose cycle has ended, and collects what renewals still owe. One that fails holds up no other. */
export async function renewDue(database: Database, { provider, clock = systemClock, pace }: Renewing): Promise<void> {
  const due = { find: DUE, values: [clock().toISOString()], pace }
  await forEachAgency(database, due, (db, turn) => renewAgency(db, turn, { provider, clock }))
}

/** Renews one agency for each cycle that has begun since, in their order, and has collected what it owes. */
async function renewAgency(db: Scope, turn: Turn, { provider, clock }: Required<Omit<Renewing, 'pace'>>) {
  while (await beginCycle(db, turn, clock)) {}
  await db.rows(dueAgain, { now: clock() })
  for (const charge of await db.rows(pending, {})) {
    const { trouble } = await collectCharge(db, turn, charge, { provider, clock })
    alarmAt(trouble)
  }
}

/**
 * Begins the agency's next cycle if it is time: the seats that there were at its beginning are owed for the whole of it, and
 * collected with what was carried over, unless that comes to less than the smallest charge. A cycle waits for what was
 * prepared in the one before, since that may still add seats. Resolves to whether one began.
 */
function beginCycle(db: Scope, turn: Turn, clock: Clock): Promise<boolean> {
  return db.transaction(async () => {
    await holdTurn(db, turn)
    const { anchor, cycle, renewsAt, seatPriceCents, currency, carriedCents } = await termsOf(db)
    if (renewsAt > clock()) return false
    if ((await db.rows(unfinished, { end: renewsAt })).length > 0) return false
    const { number, start, end } = cycleOf(anchor, cycle + 1)
    await db.rows(advance, { cycle: number, renewsAt: end })
    const seats = await seatsBefore(db, start)
    const cents = seats * seatPriceCents
    const collects = cents + carriedCents >= smallestCharge(currency)
    if (cents === 0 && !collects) return true
    const charge = await addCharge(db, {
      key: `renewal ${number}`,
      kind: 'renewal',
      subAccountId: null,
      description: `${seats} ${seats === 1 ? 'seat' : 'seats'}, ${day(start)} to ${day(end)}`,
      seats,
      seatPriceCents,
      currency,
      at: start,
      periodStart: start,
      periodEnd: end,
      cents,
      carriedCents: collects ? carriedCents : 0,
      state: collects ? 'pending' : 'carried',
      decline: null,
      now: clock(),
    })
    const owed = { kind: 'renewal', cents, charge: collects ? charge.id : null } as const
    await record(db, charge.id, start, [owed, ...moveCarried(charge.id, charge.carriedCents)])
    if (!collects) await changeCharge(db, charge, { state: 'applied' })
    return true
  })
}

const day = (instant: Date) => instant.toISOString().slice(0, 10)
