import { randomUUID } from 'node:crypto'
import { StripeBilling } from '../../src/integrations/billing/index.js'
import { createdClient, ended, makeAgency, startTestWorker } from '../support/agencies.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { FAULT_KINDS, type FaultKind, type LocalStripe, startLocalStripe } from '../support/stripe/index.js'
import { booksOf, giveBackAll, PAY, RAISE, REFUND, sound, TRIED, VOID } from '../support/stripe-books.js'

const PACE = { leaseMs: 2000, retryMs: 20 }
const PRICE = 1000

let stripe: LocalStripe
let provider: StripeBilling
let service: TestApp
let worker: { stop(): Promise<void> }

beforeAll(async () => {
  stripe = await startLocalStripe({ deliveries: 'manual' })
  const settings = { secretKey: stripe.secretKey, apiBase: stripe.base }
  provider = new StripeBilling(settings)
  service = await startTestApp({ stripe: { ...settings, webhookSecrets: [] }, events: PACE })
  worker = startTestWorker(service, PACE, provider)
})
afterAll(async () => {
  await worker.stop()
  await service.stop()
  await stripe.stop()
})
afterEach(() => stripe.calm())

/** An agency with a client that has no seats yet. */
async function agencyWith(card: string) {
  const agency = await makeAgency(service, { seatPriceCents: PRICE, paymentMethod: card, provider })
  return { ...agency, clientId: await createdClient(agency) }
}

/** A raise by two seats, to its end, however many attempts it takes. */
async function raise({ client, clientId }: Awaited<ReturnType<typeof agencyWith>>) {
  const { body } = await client.channels(clientId, { linkedin: 2 }, { 'Idempotency-Key': randomUUID() })
  const { status, error_code } = await ended({ client }, body.event_id)
  return { status, code: error_code }
}

const reconcile = () => giveBackAll(service.database, provider)

/** Raises that meet one kind of fault each, at the same call, and the books of their agencies in the end. */
async function raises(kinds: readonly FaultKind[], card: string, disturb: (kind: FaultKind, customer: string) => void) {
  const agencies = await Promise.all(kinds.map(() => agencyWith(card)))
  const ends = await Promise.all(
    agencies.map(async (agency, at) => {
      disturb(kinds[at]!, agency.customerId)
      return [kinds[at]!, await raise(agency)] as const
    }),
  )
  return {
    ends: Object.fromEntries(ends),
    books: async () =>
      Object.fromEntries(
        await Promise.all(
          agencies.map(async (agency, at) => [kinds[at]!, await booksOf(agency, service.database, stripe)] as const),
        ),
      ),
  }
}

const each = <T>(kinds: readonly FaultKind[], value: T) => Object.fromEntries(kinds.map((kind) => [kind, value]))

describe('one fault of each kind', () => {
  test.each(RAISE)('at %s: the raise is paid once and applied', async (path) => {
    const { ends, books } = await raises(FAULT_KINDS, 'pm_card_visa', (kind, customer) =>
      stripe.disturb({ kind, path, customer }),
    )
    expect([stripe.faults.left, ends]).toEqual([0, each(FAULT_KINDS, { status: 'processed', code: null })])
    expect(await reconcile()).toBe(0)
    expect(await books()).toEqual(each(FAULT_KINDS, sound(2)))
  })

  test.each([...RAISE, VOID])('at %s: a raise that is declined leaves nothing', async (path) => {
    const { ends, books } = await raises(FAULT_KINDS, 'pm_card_chargeCustomerFail', (kind, customer) =>
      stripe.disturb({ kind, path, customer }),
    )
    const declined = { status: 'failed', code: 'SEAT_CHARGE_FAILED' }
    expect([stripe.faults.left, ends]).toEqual([0, each(FAULT_KINDS, declined)])
    expect(await reconcile()).toBe(0)
    expect(await books()).toEqual(each(FAULT_KINDS, sound(0)))
  })
})

describe('a fault of each kind that does not end', () => {
  const KINDS = FAULT_KINDS.filter((kind) => kind !== 'slow')

  test.each(TRIED)('at %s: the event fails, and what was paid is given back', async (path) => {
    const { ends, books } = await raises(KINDS, 'pm_card_visa', (kind, customer) =>
      stripe.disturb({ kind, path, customer, times: 1000 }),
    )
    stripe.calm()
    expect(await reconcile()).toBe(0)
    // What was done although its answer was lost may be found out at a later attempt: then it is applied.
    const expected = KINDS.map((kind) => [kind, sound(ends[kind]!.status === 'processed' ? 2 : 0)])
    expect(await books()).toEqual(Object.fromEntries(expected))
    const withoutEnd = KINDS.filter((kind) => !['processed', 'failed'].includes(ends[kind]!.status))
    expect(withoutEnd).toEqual([])
  })

  test.each([
    [VOID, 'error_before'],
    [REFUND, 'error_after'],
  ] as const)('which met %s while it was reconciled: that comes to its end all the same', async (path, lost) => {
    const { ends, books } = await raises(FAULT_KINDS, 'pm_card_visa', (_kind, customer) => {
      stripe.disturb({ kind: lost, path: PAY, customer, times: 1000 })
      stripe.disturb({ kind: 'unavailable', path: 'GET /v1/invoices$', customer, times: 1000 })
    })
    expect(ends).toEqual(each(FAULT_KINDS, { status: 'failed', code: 'TRANSIENT_FAILURE' }))
    stripe.calm()
    for (const kind of FAULT_KINDS) stripe.disturb({ kind, path })
    expect([await reconcile(), stripe.faults.left]).toEqual([1, 0])
    expect(await books()).toEqual(each(FAULT_KINDS, sound(0)))
  })
})
