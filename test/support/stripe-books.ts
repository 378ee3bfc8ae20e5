import type { Database } from '../../src/database/index.js'
import { reconcileAbandoned } from '../../src/domains/billing/index.js'
import type { BillingProvider } from '../../src/integrations/billing/index.js'
import type { TestAgency } from './agencies.js'
import type { LocalStripe } from './stripe/index.js'

/** The call that moves money. */
export const PAY = 'POST /v1/invoices/[^/]+/pay$'
/** The calls to Stripe of which a raise consists. */
export const RAISE = [
  'POST /v1/invoices$',
  'POST /v1/invoiceitems$',
  'POST /v1/invoices/[^/]+/finalize$',
  'GET /v1/customers/[^/]+$',
  'GET /v1/subscriptions$',
  'GET /v1/invoices/[^/]+$',
  PAY,
]
/** Those of them that are tried where each takes seconds: all in full, else those after which money may have moved. */
export const TRIED = process.env.FULL === 'true' ? RAISE : ['POST /v1/invoices$', PAY]
/** And those that follow only where it does not succeed. */
export const VOID = 'POST /v1/invoices/[^/]+/void$'
export const REFUND = 'POST /v1/refunds$'

/** Runs a job so many times as the service does, for which what it throws is an alarm; resolves to how often Stripe refused the service itself. */
export async function refusalsIn(times: number, job: () => Promise<void>): Promise<number> {
  let refusals = 0
  for (let time = 0; time < times; time++) refusals += await refusalsOf(job())
  return refusals
}

/** Lets all that was given up be read back and given back, once each call has reached Stripe that ever will; as that. */
export const giveBackAll = (database: Database, provider: BillingProvider): Promise<number> =>
  refusalsIn(3, () => reconcileAbandoned(database, { provider, clock: onceAllArrived }))

/** A time at which no call that is lost now can be on its way any more. */
export const onceAllArrived = () => new Date(Date.now() + 2 * 3_600_000)

async function refusalsOf(job: Promise<void>): Promise<number> {
  try {
    await job
    return 0
  } catch (error) {
    const { errors } = error as AggregateError
    const others = errors.filter((one) => !/^Error: billing refuses the service: .* account_invalid/.test(String(one)))
    if (others.length > 0) throw error
    return errors.length
  }
}

/** What Stripe has of an agency, and what the database says; they agree, if no money is lost and none is taken twice. */
export async function booksOf(
  { agencyId, customerId }: Pick<TestAgency, 'agencyId' | 'customerId'>,
  database: Database,
  stripe: LocalStripe,
) {
  const { rows } = await database.pool.query<{ state: string; total: number; seats: number }>(
    'select state, (cents + carried_cents)::int as total, seats from seat_charge where agency_id = $1',
    [agencyId],
  )
  const seats = await database.pool.query<{ seats: number }>(
    'select coalesce(sum(seats), 0)::int as seats from seat_change where agency_id = $1',
    [agencyId],
  )
  const applied = rows.filter(({ state }) => state === 'applied')
  const invoices = [...stripe.world.invoices.values()].filter(({ customer }) => customer === customerId)
  const items = [...stripe.world.invoiceItems.values()].filter(({ customer }) => customer === customerId)
  return {
    notApplied: stripe.collected(customerId) - applied.reduce((sum, { total }) => sum + total, 0),
    seats: seats.rows[0]!.seats,
    seatsCharged: applied.reduce((sum, one) => sum + one.seats, 0),
    unsettled: rows.filter(({ state }) => ['pending', 'paid', 'carried', 'abandoned'].includes(state)).length,
    open: stripe.open(customerId),
    drafts: invoices.filter(({ status }) => status === 'draft').length,
    pendingItems: items.filter(({ invoice }) => invoice === null).length,
    balance: stripe.world.customers.get(customerId)!.balance,
  }
}

/** The books of an agency of which all is well, with that many seats. */
export const sound = (seats: number) => ({
  notApplied: 0,
  seats,
  seatsCharged: seats,
  unsettled: 0,
  open: 0,
  drafts: 0,
  pendingItems: 0,
  balance: 0,
})
