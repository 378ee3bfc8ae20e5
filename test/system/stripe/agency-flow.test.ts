import { fileURLToPath } from 'node:url'
import { SCOPES } from '../../../src/domains/agencies/index.js'
import { createAgencyClient, ended, newClient } from '../../support/agencies.js'
import { createDatabase } from '../../support/cluster.js'
import { launch, type Running, run, start } from '../cli/run.js'

const SCRIPT = fileURLToPath(new URL('../../../scripts/stripe-local.mjs', import.meta.url))

interface State {
  customers: { id: string; name: string }[]
  invoices: { customer: string; status: string; amountPaid: number; metadata: Record<string, string> }[]
}

let stripe: Running
let server: Running
let base: string
let settings: Record<string, string>
let own: { url: string; drop(): Promise<void> }

beforeAll(async () => {
  own = await createDatabase()
  stripe = launch(process.execPath, [SCRIPT, '--port', '0'])
  await stripe.prints(/_local\/advance/)
  base = await stripe.prints(/STRIPE_API_BASE=(\S+)/)
  settings = {
    DATABASE_URL: own.url,
    STRIPE_API_BASE: base,
    STRIPE_SECRET_KEY: await stripe.prints(/STRIPE_SECRET_KEY=(\S+)/),
    STRIPE_WEBHOOK_SECRET: await stripe.prints(/STRIPE_WEBHOOK_SECRET=(\S+)/),
  }
  server = start(['serve', '--port', '0'], settings)
  await server.prints(/REST +(http:\S+?)\/external/)
}, 120_000)
afterAll(async () => {
  for (const process of [server, stripe]) process.child.kill('SIGTERM')
  await Promise.all([server.finished, stripe.finished])
  await own.drop()
})

/** An agency as an operator makes it by the command line, with a client that calls with its token. */
async function agencyWith(name: string, card: string) {
  const made = await run(
    ['agency', 'create', '--name', name, '--seat-price-cents', '3000', '--payment-method', card, '--json'],
    settings,
  )
  const { agency_key: agencyKey } = JSON.parse(made.stdout)
  const scopes = Object.keys(SCOPES).join(',')
  const token = await run(['token', 'create', '--agency', agencyKey, '--scopes', scopes, '--json'], settings)
  const origin = await server.prints(/REST +(http:\S+?)\/external/)
  return createAgencyClient(origin, agencyKey, JSON.parse(token.stdout).token)
}

/** What the local Stripe has of the customer of a name. */
async function invoicesOf(name: string) {
  const state = (await (await fetch(`${base}/_local/state`)).json()) as State
  const { id } = state.customers.find((customer) => customer.name === name)!
  return state.invoices.filter(({ customer }) => customer === id)
}

describe('an agency of a service that runs against npm run stripe:local', () => {
  test('pays for its clients’ seats, also when an answer of Stripe’s is lost', async () => {
    const client = await agencyWith('Norte Digital', 'pm_card_visa')
    const created = await client.create(newClient({ channels: { linkedin: 2 } }))
    expect(created.status).toBe(201)
    expect(created.body.data.billing).toMatchObject({ invoiceStatus: 'paid' })
    const cents = created.body.data.billing.totalCents
    expect(await invoicesOf('Norte Digital')).toMatchObject([
      { status: 'paid', amountPaid: cents, metadata: { event: created.body.event_id } },
    ])

    const fault = { kind: 'reset_after', path: '/pay$' }
    await fetch(`${base}/_local/disturb`, { method: 'POST', body: JSON.stringify(fault) })
    const raised = await client.channels(created.body.data.id, { linkedin: 3 })
    expect(raised.status).toBe(202)
    const event = await ended({ client }, raised.body.event_id)
    expect(event).toMatchObject({ status: 'processed', result: { seat_charge: { ok: true, paid: true } } })
    const paid = (await invoicesOf('Norte Digital')).filter(({ status }) => status === 'paid')
    expect(paid.map(({ amountPaid }) => amountPaid).sort()).toEqual(
      [cents, event.result.seat_charge.chargedCents].sort(),
    )
  }, 120_000)

  test('whose card is declined has nothing, and Stripe nothing open', async () => {
    const client = await agencyWith('Sul Digital', 'pm_card_chargeDeclined')
    const refused = await client.create(newClient({ channels: { linkedin: 2 } }))
    expect([refused.status, refused.body.error.code]).toEqual([402, 'SEAT_CHARGE_FAILED'])
    expect((await invoicesOf('Sul Digital')).map(({ status }) => status)).toEqual(['void'])
  }, 120_000)
})
