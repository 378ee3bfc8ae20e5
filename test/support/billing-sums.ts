import { type Database, Scope } from '../../src/database/index.js'
import type { SeatBilling } from '../../src/domains/billing/index.js'
import type { BillingModel } from './billing-model.js'

const SUMS = `with e as (select * from ledger_entry where agency_id = $1)
  select (select coalesce(sum(cents), 0)::float8 from e where kind in ('seats', 'renewal')) as owed,
    (select coalesce(-sum(cents), 0)::float8 from e where kind in ('payment', 'refund')
      and not exists (select from seat_charge c where c.id = e.charge_id and c.state = 'abandoned')) as paid,
    array(select id::text from seat_charge where agency_id = $1 and state = 'abandoned') as abandoned,
    (select count(*)::int from (select e.charge_id from e join seat_charge c on c.id = e.charge_id
      where c.state not in ('unpaid', 'pending', 'abandoned') group by e.charge_id having sum(e.cents) <> 0) x) as unsettled`

const COLLECTED = `select (coalesce(sum(i.cents), 0) - coalesce(sum(r.cents), 0))::float8 as collected
  from sandbox_invoice i left join sandbox_refund r on r.invoice = i.id where i.customer = $1 and i.status = 'paid'
    and not i.metadata->>'charge' = any($2)`

interface Sums extends Record<'owed' | 'paid' | 'unsettled', number> {
  abandoned: string[]
}

/**
 * What the ledger says of an agency: what was owed and paid, how many charges that are settled do not come to 0, and what is
 * to be given back still.
 */
export async function ledgerSums({ pool }: Database, agencyId: string): Promise<Sums> {
  return (await pool.query<Sums>(SUMS, [agencyId])).rows[0]!
}

/** What the sandbox has collected of a customer and not given back, but for these charges, by their ids. */
export async function sandboxCollected(
  { pool }: Database,
  customerId: string,
  but: readonly string[],
): Promise<number> {
  return (await pool.query<{ collected: number }>(COLLECTED, [customerId, but])).rows[0]!.collected
}

/** Ledger, balance and sandbox are what the model says; seats × time is what was charged and what is owed still. */
export async function compareMoney(
  database: Database,
  billing: SeatBilling,
  { id, customerId }: { id: string; customerId: string },
  model: BillingModel,
): Promise<void> {
  const { collected, carried, unpaid } = model.state
  const { abandoned, ...sums } = await ledgerSums(database, id)
  const has = await sandboxCollected(database, customerId, abandoned)
  expect({ ...sums, collected: has, ...(await billing.balance(Scope.ofAgency(database, id))) }).toEqual({
    owed: Number(model.owed),
    paid: Number(collected),
    collected: Number(collected),
    unsettled: 0,
    carriedCents: Number(carried),
    unpaidCents: Number(unpaid),
  })
  expect(model.owed).toBe(collected + carried + unpaid)
}
