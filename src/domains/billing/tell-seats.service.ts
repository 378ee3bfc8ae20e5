import { sql } from 'kysely'
import { type Database, param, type Scope, Statement } from '../../database/index.js'
import type { BillingProvider } from '../../integrations/billing/index.js'
import { newId } from '../../shared/ids.js'
import { alarmAt, forEachAgency } from './each-agency.service.js'
import { seatsOf, UNTOLD } from './seats.service.js'
import { termsOf } from './terms.service.js'
import type { Turn, TurnPace } from './turn.service.js'

type SeatsTold = Awaited<ReturnType<BillingProvider['setSeats']>>

const UNTOLD_AGENCIES = `select agency_id as id from billing_standing where seats_told = ${UNTOLD}`

const isMine = sql`agency_id = ${param('agency')} and turn_holder = ${param('holder')}`
// While the number stays the same, so does the key: what was lost is not done twice.
const ask = new Statement<{ key: string }>(
  sql<{ key: string }>`update billing_standing set seats_asked = ${param('seats')},
      seats_key = case when seats_asked = ${param('seats')} then coalesce(seats_key, ${param('key')}) else ${param('key')} end
    where ${isMine} returning seats_key as key`,
)
const told = new Statement<never>(
  sql<never>`update billing_standing set seats_told = ${param('seats')}, seats_key = null where ${isMine}`,
)
const spend = new Statement<never>(sql<never>`update billing_standing set seats_key = null where ${isMine}`)

/**
 * Tells the provider the number of seats of each agency where it has changed, for the renewals to come: all changes since the
 * last time at once. The key is stored before the call.
 */
export async function tellSeats(
  database: Database,
  { provider, pace }: { provider: BillingProvider; pace?: TurnPace },
): Promise<void> {
  await forEachAgency(database, { find: UNTOLD_AGENCIES, pace }, async (db, turn) => {
    alarmAt(await tellAgency(db, turn, provider))
  })
}

/** Tells the provider the agency's number of seats, be it known there; resolves to what it answered. */
export async function tellAgency(
  db: Scope,
  { holder }: Turn,
  provider: BillingProvider,
): Promise<SeatsTold | undefined> {
  const [{ customerId, seatPriceCents, currency, anchor }, seats] = [await termsOf(db), await seatsOf(db)]
  const [asked] = await db.rows(ask, { holder, seats, key: newId() })
  if (!asked) return undefined
  const key = `seats ${asked.key}`
  const set = await provider.setSeats({ key, customerId, seats, seatPriceCents, currency, anchor })
  if (set.outcome === 'set') await db.rows(told, { seats, holder })
  else if (set.keyIsSpent) await db.rows(spend, { holder })
  return set
}
