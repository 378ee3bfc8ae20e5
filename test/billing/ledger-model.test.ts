import { SandboxBilling } from '../../src/integrations/billing/index.js'
import { sandboxCollected } from '../support/billing-sums.js'
import { ledgerModel } from '../support/ledger-world.js'

ledgerModel('the sandbox', async (database, clock) => {
  const provider = new SandboxBilling(database, clock)
  return {
    provider,
    disturb: (fault) => provider.disturb(fault),
    calm: () => provider.calm(),
    collected: (customer, but) => sandboxCollected(database, customer, but),
    seats: async (customer) => {
      const sql = 'select seats from sandbox_subscription where customer = $1'
      return (await database.pool.query<{ seats: number }>(sql, [customer])).rows[0]?.seats
    },
    leftOver: async () => [],
    stop: async () => {},
  }
})
