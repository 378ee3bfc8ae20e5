import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import type { HeldInvoice } from '../../integrations/billing/index.js'
import { CHARGE_COLUMNS, type ChargeRow } from './charges.service.js'

/** What the database says of an agency, for comparing with the provider. */
export interface Books {
  customerId: string
  paymentMethod: string | null
  /** What the card on file is known by, as far as it was told. */
  card: Record<string, string> | null
  seatPriceCents: number
  /** The seats that are paid for, and whether the provider was told of that number. */
  seats: number
  isTold: boolean
  /** Whether a renewal may ask for the invoice of a cycle still, or has not come to that. */
  renews: boolean
  charges: readonly ChargeRow[]
}

const read = new Statement<Omit<Books, 'charges'>>(
  sql<Omit<Books, 'charges'>>`select a.billing_customer as "customerId", a.payment_method as "paymentMethod", a.card,
      a.seat_price_cents as "seatPriceCents", n.seats, s.seats_told = n.seats as "isTold",
      s.renews_at <= ${param('now')} or exists (select from seat_charge c where c.agency_id = ${param('agency')}
        and c.kind = 'renewal' and c.state in ('pending', 'unpaid')) as renews
    from agency a join billing_standing s on s.agency_id = a.id
      cross join (select coalesce(sum(c.seats), 0)::int as seats from seat_change c
        where c.agency_id = ${param('agency')}) n
    where a.id = ${param('agency')}`,
)
// Those that an invoice names, those of the time that is compared, and those under way, however old.
const charges = new Statement<ChargeRow>(
  sql<ChargeRow>`select ${CHARGE_COLUMNS} from seat_charge where agency_id = ${param('agency')}
    and (created_at >= ${param('since')} or state in ('pending', 'paid', 'carried', 'abandoned')
      or id::text = any(${param('named')}::text[]) or invoice_id = any(${param('invoices')}::text[]))`,
)

/** What the database says of an agency now but for its charges. */
export const standingOf = async (db: Scope, now: Date): Promise<Omit<Books, 'charges'>> =>
  (await db.rows(read, { now }))[0]!

/** The charges since a moment, and those that these invoices are of. */
export function chargesOf(db: Scope, since: Date, held: readonly HeldInvoice[]): Promise<ChargeRow[]> {
  const named = held.flatMap(({ metadata }) => (metadata.charge ? [metadata.charge] : []))
  return db.rows(charges, { since, named, invoices: held.map(({ invoiceId }) => invoiceId) })
}
