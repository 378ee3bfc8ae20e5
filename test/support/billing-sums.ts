import { type Database, Scope } from '../../src/database/index.js'
import type { SeatBilling } from '../../src/domains/billing/index.js'
import type { BillingModel } from './billing-model.js'

/**
 * What ledger and sandbox say of an agency: what was owed and paid, what the sandbox has and has not given back, but for
 * what is to be given back still, and how many charges that are settled do not come to 0.
 */
const SUMS = `with e as (select * from ledger_entry where agency_id = $1)
  select (select coalesce(sum(cents), 0)::float8 from e where kind in ('seats', 'renewal')) as owed,
    (select coalesce(-sum(cents), 0)::float8 from e where kind in ('payment', 'refund')
      and not exists (select from seat_charge c where c.id = e.charge_id and c.state = 'abandoned')) as paid,
    (select (coalesce(sum(i.cents), 0) - coalesce(sum(r.cents), 0))::float8
      from sandbox_invoice i left join sandbox_refund r on r.invoice = i.id where i.customer = $2 and i.status = 'paid'
        and not exists (select from seat_charge c where c.id::text = i.metadata->>'charge' and c.state = 'abandoned')
    ) as collected,
    (select count(*)::int from (select e.charge_id from e join seat_charge c on c.id = e.charge_id
      where c.state not in ('unpaid', 'pending', 'abandoned') group by e.charge_id having sum(e.cents) <> 0) x) as unsettled`

/** Ledger, balance and sandbox are what the model says; seats × time is what was charged and what is owed still. */
export async function compareMoney(
  database: Database,
  billing: SeatBilling,
  { id, customerId }: { id: string; customerId: string },
  model: BillingModel,
): Promise<void> {
  const { collected, carried, unpaid } = model.state
  const { rows } = await database.pool.query<Record<string, number>>(SUMS, [id, customerId])
  expect({ ...rows[0], ...(await billing.balance(Scope.ofAgency(database, id))) }).toEqual({
    owed: Number(model.owed),
    paid: Number(collected),
    collected: Number(collected),
    unsettled: 0,
    carriedCents: Number(carried),
    unpaidCents: Number(unpaid),
  })
  expect(model.owed).toBe(collected + carried + unpaid)
}
