import { billing, compareAgencies, SeatBilling, tellSeats } from '../../src/domains/billing/index.js'
import { type BillingProvider, StripeBilling } from '../../src/integrations/billing/index.js'
import type { Integrations } from '../../src/kit/integrations.js'
import { createdClient, makeAgency } from '../support/agencies.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { type LocalStripe, startLocalStripe } from '../support/stripe/index.js'

// The job that compares what Stripe has with the database: what it fails with is an alarm in the log.

let stripe: LocalStripe
let provider: BillingProvider
let service: TestApp
beforeAll(async () => {
  stripe = await startLocalStripe({ deliveries: 'manual' })
  const settings = { secretKey: stripe.secretKey, apiBase: stripe.base }
  provider = new StripeBilling(settings)
  service = await startTestApp({ stripe: { ...settings, webhookSecrets: [] } })
})
afterAll(async () => {
  await service.stop()
  await stripe.stop()
})
afterEach(() => stripe.calm())

/** An agency with two seats that are paid for, and that Stripe was told of. */
async function agencyWith() {
  const agency = await makeAgency(service, { seatPriceCents: 1000, provider })
  expect((await agency.client.channels(await createdClient(agency), { linkedin: 2 })).status).toBe(200)
  await tellSeats(service.database, { provider })
  return agency
}
const owe = (customer: string) =>
  stripe.client().customers.createBalanceTransaction(customer, { amount: 7, currency: 'brl' })

/** What the job fails with, if it does. */
async function alarm(): Promise<string> {
  const job = (billing.jobs ?? []).find(({ name }) => name === 'compare-billing')!
  const run = job.run(service.database, { billing: provider } as Integrations)
  return run.then(
    () => 'none',
    ({ message }: Error) => message,
  )
}

/** What the figures tell of the last comparison, of which only those of two days ran here. */
const noted = async () => {
  const { rows } = await service.database.pool.query(
    'select differences, troubled, since is not null as lasting from billing_comparison where days = 2',
  )
  return rows[0]
}

test('it mends what is safe, and fails with what is left for people, of all agencies at once', async () => {
  const [fine, mended, left, silent] = [await agencyWith(), await agencyWith(), await agencyWith(), await agencyWith()]
  expect(await alarm()).toBe('none')
  expect(await noted()).toEqual({ differences: 0, troubled: 0, lasting: false })
  await service.database.pool.query(`update seat_charge set invoice_status = 'open' where agency_id = $1`, [
    mended.agencyId,
  ])
  await owe(left.customerId)
  stripe.disturb({ kind: 'unavailable', path: 'GET', customer: silent.customerId, times: 1000 })
  const message = await alarm()
  expect(message).toContain(`${left.agencyKey} balance: The customer's balance is 7 and not 0.`)
  expect(message).toMatch(new RegExp(`^${silent.agencyKey}: .*Stripe`, 'm'))
  expect(await noted()).toEqual({ differences: 1, troubled: 1, lasting: true })
  for (const { agencyKey } of [fine, mended]) expect(message).not.toContain(agencyKey)
  stripe.calm()
  const compared = await compareAgencies(service.database, { provider, days: 2, apply: false })
  expect(compared.find(({ agencyId }) => agencyId === mended.agencyId)?.differences).toEqual([])
}, 60_000)

test('it says nothing of an agency whose money is being moved, which has its turn the next time', async () => {
  const busy = await agencyWith()
  await owe(busy.customerId)
  const elsewhere = new SeatBilling(service.database, provider)
  expect(await elsewhere.inTurn(busy.agencyId, alarm)).not.toContain(busy.agencyKey)
  expect(await alarm()).toContain(busy.agencyKey)
}, 60_000)
