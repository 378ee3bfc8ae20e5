import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import type { ChargeRefunded } from '../billing/index.js'

const keep = new Statement<never>(
  sql<never>`update agency_event set result = jsonb_set(result, '{billing,invoiceStatus}', to_jsonb(${param('status')}::text))
    where agency_id = ${param('agency')} and id::text = ${param('key')} and result->'billing' ? 'invoiceStatus'`,
)

/** Keeps true what the event of a creation tells of its invoice. */
export async function keepInvoiceStatus(db: Scope, { key, status }: { key: string; status: string }): Promise<void> {
  await db.rows(keep, { key, status })
}

const refunded = new Statement<never>(
  sql<never>`update agency_event set result = coalesce(result, '{}') || jsonb_build_object('refund', ${param('refund')}::jsonb)
    where agency_id = ${param('agency')} and id::text = ${param('key')}`,
)

/** Names in an event what was given back of what it had paid. */
export async function keepRefund(db: Scope, { key, ...refund }: ChargeRefunded): Promise<void> {
  const { refundId: id, invoiceId, cents } = refund
  await db.rows(refunded, { key, refund: JSON.stringify({ id, invoiceId, refundedCents: Number(cents) }) })
}
