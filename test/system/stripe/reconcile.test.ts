import type { Database } from '../../../src/database/index.js'
import { Agencies, type Agency } from '../../../src/domains/agencies/index.js'
import { StripeBilling } from '../../../src/integrations/billing/index.js'
import { createDatabase } from '../../support/cluster.js'
import { openSilently } from '../../support/open-database.js'
import { type LocalStripe, startLocalStripe } from '../../support/stripe/index.js'
import { run } from '../cli/run.js'

// The command, as an operator calls it, beside a local Stripe.

let own: { url: string; drop(): Promise<void> }
let database: Database
let stripe: LocalStripe
let agency: Agency
beforeAll(async () => {
  own = await createDatabase()
  database = await openSilently(own.url)
  stripe = await startLocalStripe()
  const provider = new StripeBilling({ secretKey: stripe.secretKey, apiBase: stripe.base })
  agency = await new Agencies(database, provider).create({ name: 'Norte', paymentMethod: 'pm_card_visa' })
}, 60_000)
afterAll(async () => {
  await database.close()
  await stripe.stop()
  await own.drop()
})

const reconcile = async (...args: string[]) => {
  const settings = { DATABASE_URL: own.url, STRIPE_SECRET_KEY: stripe.secretKey, STRIPE_API_BASE: stripe.base }
  const { code, stdout } = await run(['billing', 'reconcile', ...args], settings)
  return { code, told: args.includes('--json') ? JSON.parse(stdout) : stdout }
}
const owe = (amount: number) =>
  stripe.client().customers.createBalanceTransaction(agency.billingCustomer!, { amount, currency: 'brl' })

test('fairlead billing reconcile tells where Stripe differs, mends what is safe when told to, and says by its exit code whether anything is left', async () => {
  expect(await reconcile('--json')).toEqual({ code: 0, told: { compared: 1, agencies: [] } })

  await stripe.client().paymentMethods.detach(agency.paymentMethod!)
  await owe(250)
  const differs = (cardIsMended: boolean) => ({
    code: 1,
    told: {
      compared: 1,
      agencies: [
        expect.objectContaining({
          agency_id: agency.id,
          agency_key: agency.agencyKey,
          name: 'Norte',
          trouble: null,
          differences: [
            expect.objectContaining({
              kind: 'balance',
              what: "The customer's balance is 250 and not 0.",
              mended: false,
            }),
            expect.objectContaining({ kind: 'card', mended: cardIsMended }),
          ],
        }),
      ],
    },
  })
  expect(await reconcile('--json')).toEqual(differs(false))
  const stored = async () =>
    (await database.pool.query('select payment_method as card from agency where id = $1', [agency.id])).rows[0].card
  expect(await stored()).toBe(agency.paymentMethod)
  expect(await reconcile('--apply', '--json')).toEqual(differs(true))
  expect(await stored()).toBeNull()

  await owe(-250)
  expect(await reconcile()).toEqual({
    code: 0,
    told: expect.stringContaining('1 agencies compared, 0 of them in vain: 0 differences, 0 mended.'),
  })

  stripe.disturb({ kind: 'unavailable', path: 'GET', times: 1000 })
  const silent = await reconcile('--json')
  expect([silent.code, silent.told.agencies[0].trouble]).toEqual([1, expect.stringMatching(/Stripe/)])
  stripe.calm()
}, 180_000)
