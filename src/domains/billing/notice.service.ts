import { sql } from 'kysely'
import { type Database, param, Scope, Statement } from '../../database/index.js'
import type { BillingProvider, HeldInvoice, Notice } from '../../integrations/billing/index.js'
import { type Clock, systemClock } from '../../shared/clock.js'
import { AppError } from '../../shared/errors.js'
import { storeCard } from '../agencies/index.js'
import { invoiceChanged } from './billing.facts.js'
import { seatsOf, untell } from './seats.service.js'

const RETRY_AFTER_SECONDS = 30
/** The provider repeats a notice for days, and people for weeks. */
const REMEMBERED = '60 days'

const KNOWN = `select n.id is not null as known, a.id as agency from (select $1::text as id, $2::text as customer) asked
  left join billing_notice n on n.id = asked.id left join agency a on a.billing_customer = asked.customer`
const REMEMBER = `insert into billing_notice (id, about, agency_id) values ($1, $2, null) on conflict do nothing`

const remember = new Statement<{ id: string }>(
  sql<{ id: string }>`insert into billing_notice (id, about, agency_id)
    values (${param('id')}, ${param('about')}, ${param('agency')}) on conflict do nothing returning id`,
)

const STAGES = sql.raw(`array['draft', 'open', 'uncollectible']`)
// An invoice only ever comes further, so that what is told late changes nothing.
const further = new Statement<{ key: string }>(
  sql<{ key: string }>`update seat_charge set invoice_status = ${param('status')}
    where agency_id = ${param('agency')} and (invoice_id = ${param('invoice')} or
        invoice_id is null and id::text = ${param('charge')})
      and (invoice_status is null or coalesce(array_position(${STAGES}, invoice_status::text), 4)
        < coalesce(array_position(${STAGES}, ${param('status')}::text), 4))
    returning key`,
)

/**
 * Takes in what the provider tells of its own accord, each notice once. They come in any order and late, so none is believed:
 * what they are about is read from the provider as it is now. Throws SERVICE_UNAVAILABLE when that fails; then it is told
 * again.
 */
export async function takeNotice(
  database: Database,
  provider: BillingProvider,
  notice: Notice,
  clock: Clock = systemClock,
): Promise<void> {
  const { id, about, customerId } = notice
  const { rows } = await database.pool.query<{ known: boolean; agency: string | null }>(KNOWN, [id, customerId ?? null])
  const { known, agency } = rows[0]!
  if (known) return
  if (agency === null) return void (await database.pool.query(REMEMBER, [id, about]))
  const db = Scope.ofAgency(database, agency)
  const change = await changeOf(db, provider, notice, clock)
  await db.transaction(async () => {
    const [first] = await db.rows(remember, { id, about })
    if (first) await change()
  })
}

/** Forgets notices that nobody repeats any more. */
export async function sweepNotices(database: Database): Promise<void> {
  await database.pool.query(`delete from billing_notice where received_at < now() - interval '${REMEMBERED}'`)
}

/** What follows from a notice, by what the provider says now. */
async function changeOf(
  db: Scope,
  provider: BillingProvider,
  { about, customerId, invoiceId }: Notice,
  clock: Clock,
): Promise<() => Promise<void>> {
  const asOf = clock()
  const customer = { customerId: customerId! }
  switch (about) {
    case 'invoice': {
      const { invoice } = known(await provider.invoice({ invoiceId: invoiceId! }))
      return async () => (invoice ? storeStatus(db, invoice) : undefined)
    }
    case 'card': {
      const { card } = known(await provider.card(customer))
      return () => storeCard(db, card, asOf)
    }
    case 'seats': {
      const { seatTotals } = known(await provider.holdings({ ...customer, since: asOf }))
      return async () => {
        if (seatTotals.length !== 1 || seatTotals[0] !== (await seatsOf(db))) await untell(db)
      }
    }
    case 'nothing':
      return async () => {}
  }
}

/** Stores how far an invoice is, and announces it where it was not known. */
export async function storeStatus(db: Scope, { invoiceId, status, metadata }: HeldInvoice): Promise<void> {
  const change = { invoice: invoiceId, charge: metadata.charge ?? null, status }
  for (const { key } of await db.rows(further, change)) await db.announce(invoiceChanged, { key, status })
}

function known<Answer extends { outcome: string }>(answer: Answer): Exclude<Answer, { outcome: 'transient' }> {
  if (answer.outcome !== 'transient') return answer as Exclude<Answer, { outcome: 'transient' }>
  const extra = { retryAfter: RETRY_AFTER_SECONDS }
  throw new AppError('SERVICE_UNAVAILABLE', 'The provider of billing cannot be asked now; tell again.', { extra })
}
