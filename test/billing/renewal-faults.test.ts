import { randomUUID } from 'node:crypto'
import { type Database, Scope } from '../../src/database/index.js'
import { Agencies } from '../../src/domains/agencies/index.js'
import { renewDue, SeatBilling, tellSeats } from '../../src/domains/billing/index.js'
import { StripeBilling } from '../../src/integrations/billing/index.js'
import { openTestDatabase } from '../support/open-database.js'
import { FAULT_KINDS, type LocalStripe, startLocalStripe } from '../support/stripe/index.js'
import { booksOf, PAY, refusalsIn, sound, VOID } from '../support/stripe-books.js'

// Each call of a renewal meets each fault once: the cycle is paid once, by Stripe's own draft or by an invoice alone, and
// nothing is left that could be collected.

const DAY_MS = 86_400_000
/** The calls to Stripe of which a renewal consists whose draft is for fewer seats than there are. */
const RENEWAL = [
  'GET /v1/invoices$',
  'GET /v1/invoices/[^/]+/lines$',
  'POST /v1/invoices/[^/]+$',
  'POST /v1/invoiceitems$',
  'POST /v1/invoices/[^/]+/finalize$',
  'GET /v1/customers/[^/]+$',
  'GET /v1/subscriptions$',
  'GET /v1/invoices/[^/]+$',
  PAY,
]

/** Those of them that are tried of a card that is declined: all in full, else those around the decline. */
const DECLINED = process.env.FULL === 'true' ? RENEWAL : ['POST /v1/invoices/[^/]+/finalize$', PAY]

let database: Database
let stop: () => Promise<void>
let stripe: LocalStripe
let provider: StripeBilling
let billing: SeatBilling
const clock = () => new Date(stripe.world.now * 1000)
beforeAll(async () => {
  ;({ database, stop } = await openTestDatabase())
  stripe = await startLocalStripe({ deliveries: 'manual' })
  provider = new StripeBilling({ secretKey: stripe.secretKey, apiBase: stripe.base }, clock)
  billing = new SeatBilling(database, provider, clock)
})
afterAll(async () => {
  await stripe.stop()
  await stop()
})
beforeEach(() => database.pool.query('delete from agency')) // jobs are of all agencies
afterEach(() => {
  stripe.calm()
  stripe.world.subscriptions.clear() // what no test looks at any more is not renewed month by month
})

const raise = (agencyId: string, seats: number) =>
  billing.inTurn(agencyId, async (turn) => {
    const db = Scope.ofAgency(database, agencyId)
    const request = { key: randomUUID(), kind: 'raise', subAccountId: randomUUID(), seats, client: 'Aurora' } as const
    const { id } = await billing.collect(db, turn, await billing.prepare(db, turn, request))
    await billing.apply(db, turn, id)
  })

/** Agencies with three seats, of which Stripe was told of two, at the beginning of their next cycle: one for each fault. */
async function agenciesWith(card: string) {
  const agencies = new Agencies(database, provider, clock)
  const made = await Promise.all(
    FAULT_KINDS.map(() =>
      agencies.create({ name: 'Norte', seatPriceCents: 1000, currency: 'BRL', paymentMethod: 'pm_card_visa' }),
    ),
  )
  for (const { id } of made) await raise(id, 2)
  await tellSeats(database, { provider })
  for (const { id } of made) await raise(id, 1)
  if (card !== 'pm_card_visa') for (const { id } of made) await agencies.changePaymentMethod(id, card)
  await stripe.advance(31.5 * DAY_MS) // the draft is some hours old, as after an outage
  return made.map(({ id, billingCustomer }) => ({ agencyId: id, customerId: billingCustomer! }))
}

/** Renews all of them while each call to this path goes wrong once, and again; resolves to their books by fault. */
async function renewThrough(path: string, card: string) {
  const agencies = await agenciesWith(card)
  for (const [at, { customerId: customer }] of agencies.entries())
    stripe.disturb({ kind: FAULT_KINDS[at]!, path, customer })
  const alarms = await refusalsIn(4, () => renewDue(database, { provider, clock }))
  expect([alarms, stripe.faults.left]).toEqual([1, 0])
  const books = await Promise.all(agencies.map((agency) => booksOf(agency, database, stripe)))
  return Object.fromEntries(books.map((each, at) => [FAULT_KINDS[at]!, each]))
}
const each = <T>(value: T) => Object.fromEntries(FAULT_KINDS.map((kind) => [kind, value]))

test.each(RENEWAL)('at %s: the cycle is paid once', async (path) => {
  expect(await renewThrough(path, 'pm_card_visa')).toEqual(each({ ...sound(3), seatsCharged: 6 }))
})

test.each([...DECLINED, VOID])(
  'at %s: a cycle that is declined is owed, and nothing of it is left open',
  async (path) => {
    expect(await renewThrough(path, 'pm_card_chargeCustomerFail')).toEqual(each(sound(3)))
    const { rows } = await database.pool.query(
      `select distinct state, decline, declines from seat_charge where kind = 'renewal'`,
    )
    expect(rows).toEqual([{ state: 'unpaid', decline: 'card_declined', declines: 1 }])
  },
)
