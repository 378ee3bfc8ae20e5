import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { cycleAt, cycleStart, wholeSecond } from '../../shared/cycles.js'
import { newId } from '../../shared/ids.js'

interface Row {
  name: string
  seatPriceCents: number
  currency: string
  anchor: string
  customerId: string
  paymentMethod: string | null
  cycle: number
  renewsAt: string
  carriedCents: number
}

/** What an agency's charges are made of; amounts are in the smallest unit. */
export type Terms = Omit<Row, 'anchor' | 'renewsAt'> & { anchor: Date; renewsAt: Date }

const read = new Statement<Row>(
  sql<Row>`select a.name, a.seat_price_cents as "seatPriceCents", a.currency, a.anchor,
      a.billing_customer as "customerId", a.payment_method as "paymentMethod", s.cycle, s.renews_at as "renewsAt",
      (select coalesce(sum(e.cents), 0)::float8 from ledger_entry e
        where e.agency_id = ${param('agency')} and e.charge_id is null) as "carriedCents"
    from agency a join billing_standing s on s.agency_id = a.id where a.id = ${param('agency')}`,
  { prepared: true },
)
const anchorOf = new Statement<{ anchor: string; standing: boolean }>(
  sql<{ anchor: string; standing: boolean }>`select a.anchor, s.id is not null as standing
    from agency a left join billing_standing s on s.agency_id = a.id where a.id = ${param('agency')}`,
  { prepared: true },
)
const open = new Statement<never>(
  sql<never>`insert into billing_standing (id, agency_id, cycle, renews_at)
    values (${param('id')}, ${param('agency')}, ${param('cycle')}, ${param('renewsAt')})
    on conflict (agency_id) do nothing`,
)

/** Opens the books of an agency that never had a charge: its cycles count from the present one. */
export async function openStanding(db: Scope, now: Date): Promise<void> {
  const [agency] = await db.rows(anchorOf, {})
  if (!agency) throw new Error(`there is no agency ${db.agencyId}`)
  if (agency.standing) return
  const { number, end } = cycleAt(new Date(agency.anchor), now)
  await db.rows(open, { id: newId(), cycle: number, renewsAt: end })
}

/** The terms of the agency as they are now. */
export async function termsOf(db: Scope): Promise<Terms> {
  const row = (await db.rows(read, {}))[0]!
  return { ...row, anchor: new Date(row.anchor), renewsAt: new Date(row.renewsAt) }
}

/** The second from which on something counts: now, but never in a cycle before the one that was renewed last. */
export function momentIn({ anchor, cycle }: Terms, now: Date): Date {
  const start = cycleStart(anchor, cycle)
  const second = wholeSecond(now)
  return new Date(Math.max(second.getTime(), start.getTime()))
}
