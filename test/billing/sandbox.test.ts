import { SandboxBilling } from '../../src/integrations/billing/index.js'
import { billingContract } from '../support/billing-contract.js'
import { openTestDatabase } from '../support/open-database.js'

billingContract('the sandbox', async () => {
  const { database, stop } = await openTestDatabase()
  const provider = new SandboxBilling(database)
  return {
    provider,
    disturb: (fault) => provider.disturb(fault),
    collected: async (customer) => {
      const { rows } = await database.pool.query<{ cents: number }>(
        `select (coalesce(sum(i.cents), 0) - coalesce(sum(r.cents), 0))::float8 as cents
         from sandbox_invoice i left join sandbox_refund r on r.invoice = i.id
         where i.customer = $1 and i.status = 'paid'`,
        [customer],
      )
      return rows[0]!.cents
    },
    open: async (customer) => {
      const { rowCount } = await database.pool.query(
        `select from sandbox_invoice where customer = $1 and status not in ('paid', 'void')`,
        [customer],
      )
      return rowCount!
    },
    stop,
  }
})

describe('the sandbox', () => {
  let opened: Awaited<ReturnType<typeof openTestDatabase>>
  let now = new Date('2026-03-01T12:00:00Z')
  beforeAll(async () => {
    opened = await openTestDatabase()
  })
  afterAll(() => opened.stop())

  test('forgets a key after 24 hours, as Stripe does, and not before', async () => {
    const billing = new SandboxBilling(opened.database, () => now)
    const key = 'the-same-key'
    const make = () => billing.createCustomer({ key, name: 'Norte Digital', metadata: {} })
    const first = await make()
    now = new Date('2026-03-02T11:59:59Z')
    await billing.sweep()
    expect(await make()).toEqual(first)
    now = new Date('2026-03-02T12:00:00Z')
    expect(await make()).not.toEqual(first)
  })

  test('faults are seen by every process on the database, until they are used up or ended', async () => {
    const [one, other] = [new SandboxBilling(opened.database), new SandboxBilling(opened.database)]
    await one.disturb({ kind: 'down', times: 2 })
    const make = (billing: SandboxBilling, key: string) => billing.createCustomer({ key, name: 'N', metadata: {} })
    expect(await make(other, 'a')).toMatchObject({ outcome: 'transient' })
    expect(await make(one, 'a')).toMatchObject({ outcome: 'transient' })
    expect(await make(other, 'a')).toMatchObject({ outcome: 'created' })
    await one.disturb({ kind: 'down', times: 5 })
    await other.calm()
    expect(await make(one, 'b')).toMatchObject({ outcome: 'created' })
  })
})
