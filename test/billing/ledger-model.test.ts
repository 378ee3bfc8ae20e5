import { SandboxBilling } from '../../src/integrations/billing/index.js'
import { ledgerModel } from '../support/ledger-world.js'

const COLLECTED = `select (coalesce(sum(i.cents), 0) - coalesce(sum(r.cents), 0))::float8 as cents
  from sandbox_invoice i left join sandbox_refund r on r.invoice = i.id
  where i.customer = $1 and i.status = 'paid' and not i.metadata->>'charge' = any($2::text[])`

ledgerModel('the sandbox', async (database, clock) => {
  const provider = new SandboxBilling(database, clock)
  const one = async <Row extends object>(sql: string, values: unknown[]) =>
    (await database.pool.query<Row>(sql, values)).rows[0]
  return {
    provider,
    disturb: (fault) => provider.disturb(fault),
    calm: () => provider.calm(),
    collected: async (customer, but) => (await one<{ cents: number }>(COLLECTED, [customer, but]))!.cents,
    seats: async (customer) => {
      const sql = 'select seats from sandbox_subscription where customer = $1'
      return (await one<{ seats: number }>(sql, [customer]))?.seats
    },
    leftOver: async () => [],
    stop: async () => {},
  }
})
