import { sql } from 'kysely'
import { type Context, param, type Scope, Statement } from '../../database/index.js'
import { agencyScope } from '../../kit/agency-reads.js'
import { AppError } from '../../shared/errors.js'
import { isUuid } from '../../shared/ids.js'
import type { AgencyBilling } from './standing.types.js'

// As texts of ISO 8601, like those that stand in columns of their own.
const iso = (instant: string) => sql.raw(`to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`)

const unpaid = sql`select json_agg(json_build_object('chargeId', c.id, 'periodStart', ${iso('c.period_start')},
      'periodEnd', ${iso('c.period_end')}, 'seats', c.seats, 'owedCents', c.cents + c.carried_cents,
      'decline', c.decline, 'declines', c.declines, 'retryAt', ${iso('c.retry_at')},
      'invoiceStatus', c.invoice_status) order by c.at)
    from seat_charge c where c.agency_id = a.id and c.kind = 'renewal'
      and (c.state = 'unpaid' or c.state = 'pending' and c.declines > 0)`

const standing = new Statement<AgencyBilling>(
  sql<AgencyBilling>`select a.id as "agencyId", a.currency, a.seat_price_cents as "seatPriceCents",
      (select coalesce(sum(c.seats), 0)::int from seat_change c where c.agency_id = a.id) as seats,
      (select coalesce(sum(e.cents), 0)::float8 from ledger_entry e
        where e.agency_id = a.id and e.charge_id is null) as "carriedCents",
      (select coalesce(sum(e.cents), 0)::float8 from ledger_entry e join seat_charge c on c.agency_id = e.agency_id
        and c.id = e.charge_id where e.agency_id = a.id and c.kind = 'renewal') as "unpaidCents",
      case when a.payment_method is not null then json_build_object('paymentMethod', a.payment_method,
        'brand', a.card->>'brand', 'last4', a.card->>'last4', 'expires', a.card->>'expires') end as card,
      a.card_as_of as "cardAsOf", coalesce((${unpaid}), '[]') as "unpaidRenewals",
      s.renews_at as "renewsAt", u.retry_at as "retryAt", u.decline,
      (select count(*)::int from seat_charge c where c.agency_id = a.id
        and c.state in ('pending', 'paid', 'carried', 'abandoned')) as "pendingCharges"
    from agency a left join billing_standing s on s.agency_id = a.id
      left join lateral (select c.retry_at, c.decline from seat_charge c
        where c.agency_id = a.id and c.state = 'unpaid' order by c.at desc limit 1) u on true
    where a.id = ${param('agency')}`,
  { prepared: true },
)

/** How an agency stands that the viewer may see: a token its own, an operator any; throws NOT_FOUND. */
export async function billingOf(context: Context, id: string): Promise<AgencyBilling> {
  const { agencyId } = context.viewer
  const isSeen = isUuid(id) && (agencyId === undefined || agencyId === id.toLowerCase())
  const [found] = isSeen ? await scopeOf(context, id).rows(standing, {}) : []
  if (!found) throw new AppError('NOT_FOUND', 'There is no agency with this id.')
  return found
}

function scopeOf(context: Context, id: string): Scope {
  const { db } = agencyScope(context)
  return context.viewer.agencyId === undefined ? db.forAgency(id) : db
}
