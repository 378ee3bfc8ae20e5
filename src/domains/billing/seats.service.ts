import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { newId } from '../../shared/ids.js'

const add = new Statement<never>(
  sql<never>`insert into seat_change (id, agency_id, sub_account_id, charge_id, seats, at)
    values (${param('id')}, ${param('agency')}, ${param('subAccountId')}, ${param('charge')}, ${param('seats')},
      ${param('at')})`,
  { prepared: true },
)
/** What the provider was told is out of date from now on. */
export const UNTOLD = -1
const outdate = new Statement<never>(
  sql<never>`update billing_standing set seats_told = ${UNTOLD} where agency_id = ${param('agency')}`,
  { prepared: true },
)
const all = new Statement<{ seats: number }>(
  sql<{ seats: number }>`select coalesce(sum(seats), 0)::int as seats from seat_change
    where agency_id = ${param('agency')}`,
)
const before = new Statement<{ seats: number }>(
  sql<{ seats: number }>`select coalesce(sum(seats), 0)::int as seats from seat_change
    where agency_id = ${param('agency')} and at < ${param('instant')}`,
)
const ofSubAccount = new Statement<{ seats: number }>(
  sql<{ seats: number }>`select coalesce(sum(seats), 0)::int as seats from seat_change
    where agency_id = ${param('agency')} and sub_account_id = ${param('subAccountId')}`,
  { prepared: true },
)

/** Adds seats to a sub-account, or of a negative number takes them away. */
export async function changeSeats(
  db: Scope,
  change: { subAccountId: string; seats: number; at: Date | string; charge: string | null },
): Promise<void> {
  if (change.seats === 0) return
  await db.rows(add, { ...change, id: newId() })
  await untell(db)
}

/** Has the provider told the agency's number of seats anew. */
export const untell = async (db: Scope): Promise<void> => void (await db.rows(outdate, {}))

/** The seats that are paid for: of a sub-account, or of the agency. */
export async function seatsOf(db: Scope, subAccountId?: string): Promise<number> {
  const rows = subAccountId === undefined ? db.rows(all, {}) : db.rows(ofSubAccount, { subAccountId })
  return (await rows)[0]!.seats
}

/** The seats that there were just before an instant: those for which a cycle that begins with it is charged. */
export const seatsBefore = async (db: Scope, instant: Date): Promise<number> =>
  (await db.rows(before, { instant }))[0]!.seats
