import { setTimeout as delay } from 'node:timers/promises'
import { StripeBilling } from '../../src/integrations/billing/index.js'
import { createAgencyClient, makeAgency, newClient, startTestWorker, type TestAgency } from '../support/agencies.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { type FaultKind, type LocalStripe, startLocalStripe } from '../support/stripe/index.js'
import { booksOf, giveBackAll, sound, TRIED } from '../support/stripe-books.js'

// A process stands still in the middle of a call to Stripe for longer than its leases, as when its machine is suspended: others
// take up its event. Then it goes on, and knows nothing of that.

const PACE = { leaseMs: 1000, retryMs: 20 }

let stripe: LocalStripe
let provider: StripeBilling
let service: TestApp
let sleeper: TestApp
let worker: { stop(): Promise<void> }

beforeAll(async () => {
  stripe = await startLocalStripe({ deliveries: 'manual' })
  const settings = { secretKey: stripe.secretKey, apiBase: stripe.base }
  provider = new StripeBilling(settings)
  const config = { stripe: { ...settings, webhookSecrets: [] }, events: PACE }
  service = await startTestApp(config)
  sleeper = await startTestApp(config, undefined, service)
  worker = startTestWorker(service, PACE, provider)
})
afterAll(async () => {
  await worker.stop()
  await sleeper.stop()
  await service.stop()
  await stripe.stop()
})
afterEach(() => stripe.calm())

const sql = async <Row>(text: string, ...values: unknown[]): Promise<Row[]> =>
  (await service.database.pool.query(text, values)).rows

const HOLDER = 'select turn_holder as holder from billing_standing where agency_id = $1'
const PASS = `update billing_standing set turn_until = now() - interval '1 minute'
  where agency_id = $1 and turn_holder = $2`
const EVENT = "select status from agency_event where agency_id = $1 and action = 'sub_account.channels.update'"

/** The end of the raise of an agency, which others bring about. Whoever sleeps gives no sign of life: its lease goes by. */
async function endWithout(sleeping: string, { agencyId }: TestAgency): Promise<string> {
  for (;;) {
    await sql(PASS, agencyId, sleeping)
    const [event] = await sql<{ status: string }>(EVENT, agencyId)
    if (event && !['pending', 'processing'].includes(event.status)) return event.status
    await delay(20)
  }
}

/** A raise that stands still at a call, is taken up by others, and goes on when they have come to an end. */
async function raiseLate(at: 'before' | 'after', path: string, meanwhile?: FaultKind) {
  const agency = await makeAgency(service, { seatPriceCents: 1000, provider })
  const { body } = await agency.client.create(newClient())
  const held = stripe.hold(at, { path, customer: agency.customerId })
  const client = createAgencyClient(sleeper.origin, agency.agencyKey, agency.token)
  const late = client.channels(body.data.id, { linkedin: 2 })
  await held.met
  if (meanwhile) stripe.disturb({ kind: meanwhile, path, customer: agency.customerId })
  const [turn] = await sql<{ holder: string }>(HOLDER, agency.agencyId)
  const status = await endWithout(turn!.holder, agency)
  held.release()
  return { agency, status, late: (await late).status }
}

describe('a process that goes on after others have taken up its event', () => {
  test.each(TRIED)('having had no answer at %s: nothing is charged twice or lost', async (path) => {
    const { agency, status, late } = await raiseLate('after', path)
    expect([status, [200, 202]]).toEqual(['processed', expect.arrayContaining([late])])
    expect(await booksOf(agency, service.database, stripe)).toEqual(sound(2))
  })

  test.each(TRIED)('whose call at %s is carried out late: what it does then is given back', async (path) => {
    const { agency, status } = await raiseLate('before', path)
    expect(await giveBackAll(service.database, provider)).toBe(0)
    // A look that stands still keeps nobody; a change keeps its key in use until the attempts of the others are over.
    expect(status).toBe(path.startsWith('GET') ? 'processed' : 'failed')
    expect(await booksOf(agency, service.database, stripe)).toEqual(sound(status === 'processed' ? 2 : 0))
  })

  test('whose call is carried out late, others having been refused for who they are: nobody has charged under another key', async () => {
    const { agency, status } = await raiseLate('before', 'POST /v1/invoices$', 'forbidden')
    expect(await giveBackAll(service.database, provider)).toBe(0)
    expect(status).toBe('failed')
    expect(await booksOf(agency, service.database, stripe)).toEqual(sound(0))
  })
})
