import { sql } from 'kysely'
import { type Database, param, type Scope, Statement } from '../../database/index.js'
import type { BillingProvider } from '../../integrations/billing/index.js'
import { type Clock, systemClock } from '../../shared/clock.js'
import { chargeRefunded } from './billing.facts.js'
import { type ChargeRow, changeCharge, chargeById, eventOf } from './charges.service.js'
import { bookPayment, readBack } from './collect.service.js'
import { type Answer, alarmAt, forEachAgency } from './each-agency.service.js'
import { record } from './ledger.service.js'
import { termsOf } from './terms.service.js'
import { holdTurn, type Turn, type TurnPace } from './turn.service.js'

/** After that time a call whose answer was lost has reached the provider or never will. */
const IN_FLIGHT_MS = 3_600_000

const ABANDONED = `select distinct agency_id as id from seat_charge where state = 'abandoned'`
const abandoned = new Statement<{ id: string }>(
  sql<{ id: string }>`select id from seat_charge where agency_id = ${param('agency')} and state = 'abandoned'`,
)

interface Reconciling {
  provider: BillingProvider
  clock?: Clock
  pace?: TurnPace
}
type Means = Required<Omit<Reconciling, 'pace'>>

/** Finds out what became of charges that were given up, and gives back what they have collected. */
export async function reconcileAbandoned(database: Database, { provider, clock = systemClock, pace }: Reconciling) {
  await forEachAgency(database, { find: ABANDONED, pace }, async (db, turn) => {
    const answers: Answer[] = []
    for (const { id } of await db.rows(abandoned, {})) {
      answers.push(await giveBack(db, turn, await chargeById(db, id), { provider, clock }))
    }
    for (const answer of answers) alarmAt(answer)
  })
}

/** Finds out what became of one that was given up, and gives back what it has collected; resolves to the provider's last answer. */
export async function giveBack(db: Scope, turn: Turn, charge: ChargeRow, { provider, clock }: Means): Promise<Answer> {
  const paid = charge.paymentId ? charge : await findPayment(db, turn, charge, { provider, clock })
  if ('outcome' in paid) return paid
  const key = `refund ${charge.id} ${paid.callNumber}`
  const refund = await provider.refund({ key, invoiceId: paid.invoiceId! })
  await db.transaction(async () => {
    await holdTurn(db, turn)
    if (refund.outcome === 'refunded') {
      const cents = charge.cents + charge.carriedCents
      await record(db, charge.id, clock(), [{ kind: 'refund', cents, charge: charge.id }])
      await changeCharge(db, paid, { state: 'refunded' })
      const [event, invoiceId] = [eventOf(charge), paid.invoiceId!]
      await db.announce(chargeRefunded, { key: event, refundId: refund.refundId, invoiceId, cents: `${cents}` })
    } else if (refund.keyIsSpent) {
      await changeCharge(db, paid, { callNumber: paid.callNumber + 1 }) // giving back twice gives back once
    }
  })
  return refund
}

/** The charge with its payment if it turns out that there is one, otherwise what was answered. */
async function findPayment(db: Scope, turn: Turn, charge: ChargeRow, { provider, clock }: Means) {
  const found = await readBack(provider, charge, (await termsOf(db)).customerId)
  return db.transaction(async () => {
    await holdTurn(db, turn)
    if (found.outcome === 'paid') return bookPayment(db, charge, found, 'abandoned', clock)
    const waited = clock().getTime() - new Date(charge.calledAt).getTime()
    if (found.outcome === 'none' && waited > IN_FLIGHT_MS) await changeCharge(db, charge, { state: 'dropped' })
    return found
  })
}
