import { randomUUID } from 'node:crypto'
import { type Database, Scope } from '../../src/database/index.js'
import { Agencies } from '../../src/domains/agencies/index.js'
import { SeatBilling, tellSeats } from '../../src/domains/billing/index.js'
import { StripeBilling } from '../../src/integrations/billing/index.js'
import { openTestDatabase } from '../support/open-database.js'
import { FAULT_KINDS, type LocalStripe, startLocalStripe } from '../support/stripe/index.js'
import { booksOf, refusalsIn, sound } from '../support/stripe-books.js'

// What Stripe will answer to a key for ever is no reason to wait for a day: what has become of the call is read back, and
// another key goes on.

let database: Database
let stop: () => Promise<void>
let stripe: LocalStripe
let provider: StripeBilling
let billing: SeatBilling
beforeAll(async () => {
  ;({ database, stop } = await openTestDatabase())
  stripe = await startLocalStripe({ deliveries: 'manual' })
  provider = new StripeBilling({ secretKey: stripe.secretKey, apiBase: stripe.base })
  billing = new SeatBilling(database, provider)
})
afterAll(async () => {
  await stripe.stop()
  await stop()
})
beforeEach(() => database.pool.query('delete from agency')) // jobs are of all agencies
afterEach(() => stripe.calm())

async function newAgency(): Promise<{ agencyId: string; customerId: string }> {
  const agencies = new Agencies(database, provider)
  const given = { name: 'Norte', seatPriceCents: 1000, currency: 'BRL', paymentMethod: 'pm_card_visa' }
  const { id, billingCustomer } = await agencies.create(given)
  return { agencyId: id, customerId: billingCustomer! }
}

const requestOf = (seats: number) =>
  ({ key: randomUUID(), kind: 'raise', subAccountId: randomUUID(), seats, client: 'Aurora' }) as const

/** Raises by some seats in as many attempts as it takes, amid the first of which something may happen; what each has come to. */
async function raise(agencyId: string, seats: number, amid?: (chargeId: string) => Promise<unknown>) {
  const [db, request] = [Scope.ofAgency(database, agencyId), requestOf(seats)]
  const states: string[] = []
  while (states.length < 5 && !states.includes('applied')) {
    await billing.inTurn(agencyId, async (turn) => {
      const prepared = await billing.prepare(db, turn, request)
      if (states.length === 0) await amid?.(prepared.id)
      const { state, id } = await billing.collect(db, turn, prepared)
      states.push(state === 'paid' ? (await billing.apply(db, turn, id)).state : state)
    })
  }
  return states
}

const seatsAtStripe = async (customer: string) =>
  (await stripe.client().subscriptions.list({ customer, status: 'all' })).data.map(
    ({ items }) => items.data[0]?.quantity,
  )

test.each(['invoice', 'line 1', 'finalize', 'pay'])(
  'a release that asks for %s in other words under the same key charges once all the same',
  async (step) => {
    const { agencyId, customerId } = await newAgency()
    const states = await raise(agencyId, 2, (chargeId) =>
      stripe.client().customers.create({ name: 'other words' }, { idempotencyKey: `charge ${chargeId} 1 ${step}` }),
    )
    expect(states).toEqual(['pending', 'applied'])
    expect(await booksOf({ agencyId, customerId }, database, stripe)).toEqual(sound(2))
  },
)

describe('the number of seats is told at last', () => {
  /** Tells it until it is told, through a fault of each kind; resolves to how often that alarmed. */
  async function tell(path: string, customers: readonly string[]): Promise<number> {
    for (const [at, customer] of customers.entries()) stripe.disturb({ kind: FAULT_KINDS[at]!, path, customer })
    const alarms = await refusalsIn(3, () => tellSeats(database, { provider }))
    expect(stripe.faults.left).toBe(0)
    return alarms
  }

  /** Agencies with two seats each, one for each fault; resolves to their ids and those of their customers. */
  async function agenciesWithSeats() {
    const agencies = await Promise.all(FAULT_KINDS.map(newAgency))
    for (const { agencyId } of agencies) await raise(agencyId, 2)
    return { ids: agencies.map(({ agencyId }) => agencyId), customers: agencies.map(({ customerId }) => customerId) }
  }

  test.each(['GET /v1/subscriptions$', 'POST /v1/subscriptions$', 'POST /v1/subscriptions/[^/]+$'])(
    'whatever befalls its first %s',
    async (path) => {
      const { customers } = await agenciesWithSeats()
      expect(await tell(path, customers)).toBe(1)
      for (const customer of customers) expect(await seatsAtStripe(customer)).toEqual([2])
    },
  )

  test('and whatever befalls a change of it', async () => {
    const { ids, customers } = await agenciesWithSeats()
    await tellSeats(database, { provider })
    for (const id of ids) await raise(id, 3)
    expect(await tell('POST /v1/subscriptions/[^/]+$', customers)).toBe(1)
    for (const customer of customers) expect(await seatsAtStripe(customer)).toEqual([5])
  })
})
