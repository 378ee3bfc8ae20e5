import { SeatBilling } from '../../src/domains/billing/index.js'
import { provisioningMeans } from '../../src/domains/sub-accounts/index.js'
import { createdClient, ended, makeAgency, startTestWorker, type TestAgency } from '../support/agencies.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { Lock, until } from '../support/crash/locks.js'

// What a worker's places are given to while agencies' providers take their time, or somebody moves their money.

const PACE = { leaseMs: 60_000, retryMs: 20 }
const HASTY = { lease: 30_000, patience: 30 }
const PATIENT = { lease: 30_000, patience: 50_000 }

let service: TestApp
let worker: { stop(): Promise<void> } | undefined
beforeAll(async () => {
  service = await startTestApp({ events: PACE })
})
afterEach(async () => {
  await worker?.stop()
  worker = undefined
})
afterAll(() => service.stop())

/** Starts a worker with so many places. */
const work = (options: { atOnce: number; slowMs?: number }, turns = HASTY) => {
  worker = startTestWorker(service, { ...PACE, turns }, undefined, options)
}

/** An agency with sub-accounts, each of which has a change of channels that waits for a worker. */
async function waiting(clients: number): Promise<TestAgency & { ids: string[]; events: string[] }> {
  const agency = await makeAgency(service, { seatPriceCents: 1000 })
  const [ids, events]: [string[], string[]] = [[], []]
  await agency.sandbox.disturb({ kind: 'down', method: 'charge', customerId: agency.customerId, times: clients })
  for (let n = 0; n < clients; n++) {
    const id = await createdClient(agency)
    const { status, body } = await agency.client.channels(id, { linkedin: n + 1 })
    expect(status).toBe(202)
    ids.push(id)
    events.push(body.event_id)
  }
  return { ...agency, ids, events }
}

/** Has whatever is asked for an agency's customer stand still, until it is released. */
async function stopped({ customerId }: TestAgency): Promise<Lock> {
  const lock = await Lock.open(service.databaseUrl)
  await lock.take('sandbox_customer', 'id', customerId)
  return lock
}

const isMet = (lock: Lock) => until('the provider is asked', () => lock.stops(service.database.pool))

const query = async <Row>(text: string, values: unknown[]): Promise<Row[]> =>
  (await service.database.pool.query(text, values)).rows

interface Stored {
  status: string
  attempts: number
  last_error: string | null
}
const stored = async (id: string): Promise<Stored> =>
  (await query<Stored>('select status, attempts, last_error from agency_event where id = $1', [id]))[0]!

/** As if it had been due for a minute. */
const overdue = (id: string) =>
  query(`update agency_event set due_at = now() - interval '1 minute' where id = $1 and status = 'pending'`, [id])

describe('a worker whose places are few', () => {
  test('gives an agency one at most, however much of it waits: another is carried out beside it', async () => {
    const [slow, quick] = [await waiting(3), await waiting(1)]
    const lock = await stopped(slow)
    work({ atOnce: 2, slowMs: 600_000 })
    await isMet(lock)
    expect(await ended(quick, quick.events[0]!)).toMatchObject({ status: 'processed', attempts: 2 })
    const states = await Promise.all(slow.events.map(stored))
    expect(states.map(({ status }) => status).toSorted()).toEqual(['pending', 'pending', 'processing'])
    await lock.release()
    for (const id of slow.events) expect(await ended(slow, id)).toMatchObject({ status: 'processed', attempts: 2 })
  }, 60_000)

  test('takes what asks a provider for long from its place', async () => {
    const [slow, quick] = [await waiting(1), await waiting(1)]
    const lock = await stopped(slow)
    work({ atOnce: 1, slowMs: 50 })
    await isMet(lock)
    expect(await ended(quick, quick.events[0]!)).toMatchObject({ status: 'processed', attempts: 2 })
    await lock.release()
    expect(await ended(slow, slow.events[0]!)).toMatchObject({ status: 'processed', attempts: 2 })
  }, 60_000)

  test('gives none to an agency whose money is moved by somebody else', async () => {
    const [slow, quick] = [await waiting(1), await waiting(1)]
    await new SeatBilling(service.database, slow.sandbox).inTurn(slow.agencyId, async () => {
      work({ atOnce: 1, slowMs: 600_000 })
      expect(await ended(quick, quick.events[0]!)).toMatchObject({ status: 'processed', attempts: 2 })
      expect(await stored(slow.events[0]!)).toMatchObject({ status: 'pending', attempts: 1 })
    })
    expect(await ended(slow, slow.events[0]!)).toMatchObject({ status: 'processed', attempts: 2 })
  }, 60_000)

  test('goes round the agencies: the many events of one do not come before the one of another', async () => {
    const many = await waiting(4)
    const one = await waiting(1)
    await query(`update agency_event set due_at = now() - interval '1 hour' where id = any($1)`, [many.events])
    work({ atOnce: 1, slowMs: 600_000 })
    const { processed_at: at } = await ended(one, one.events[0]!)
    const before = await Promise.all(many.events.map((id) => ended(many, id)))
    expect(before.filter(({ processed_at }) => processed_at < at).length).toBeLessThanOrEqual(2)
  }, 60_000)
})

describe('waiting for the turn of its agency', () => {
  test('is no attempt: an event that has waited many times asks as often as any other', async () => {
    const agency = await waiting(1)
    const [id] = agency.events as [string]
    await new SeatBilling(service.database, agency.sandbox).inTurn(agency.agencyId, async () => {
      work({ atOnce: 2 })
      for (let n = 0; n < 7; n++) {
        await query(`update agency_event set last_error = null where id = $1`, [id])
        let attempts: number | undefined
        await until('it was put off', async () => {
          await overdue(id)
          const now = await stored(id)
          if (now.status === 'pending' && now.last_error !== null) ({ attempts } = now)
          return attempts !== undefined
        })
        expect(attempts).toBe(1)
      }
    })
    expect(await ended(agency, id)).toMatchObject({ status: 'processed', attempts: 2 })
  }, 60_000)

  test('is none of a call that is answered 202 meanwhile', async () => {
    const agency = await makeAgency(service)
    const sub = await createdClient(agency)
    const provisioning = service.database.needs.get(provisioningMeans)
    const usual = provisioning.billing
    provisioning.billing = new SeatBilling(service.database, agency.sandbox, undefined, HASTY)
    try {
      await usual.inTurn(agency.agencyId, async () => {
        const { status, body } = await agency.client.channels(sub, { linkedin: 1 })
        expect([status, await stored(body.event_id)]).toEqual([
          202,
          { status: 'pending', attempts: 0, last_error: expect.any(String) },
        ])
      })
    } finally {
      provisioning.billing = usual
    }
    work({ atOnce: 1 })
    const [{ id }] = (await query<{ id: string }>(
      'select id from agency_event where target_account_id = $1 and status = $2',
      [sub, 'pending'],
    )) as [{ id: string }]
    expect(await ended(agency, id)).toMatchObject({ status: 'processed', attempts: 1 })
  }, 60_000)

  test('does not make one that has had its attempts try again: it is given up when its turn comes', async () => {
    const agency = await waiting(1)
    const [id] = agency.events as [string]
    await query('update agency_event set attempts = 5, last_error = null where id = $1', [id])
    await new SeatBilling(service.database, agency.sandbox).inTurn(agency.agencyId, async () => {
      await overdue(id)
      work({ atOnce: 2 })
      await until('it was put off', async () => {
        const { status, last_error } = await stored(id)
        return status === 'pending' && last_error !== null
      })
    })
    expect(await ended(agency, id)).toMatchObject({ status: 'failed', attempts: 5, error_code: 'TRANSIENT_FAILURE' })
    const charges = 'select state from seat_charge where agency_id = $1 and key = $2'
    expect(await query(charges, [agency.agencyId, id])).toEqual([{ state: 'abandoned' }])
  }, 60_000)
})

test('a call whose event a worker has taken over meanwhile is answered 202, though its own attempt is refused', async () => {
  const agency = await makeAgency(service, { seatPriceCents: 1000 })
  const sub = await createdClient(agency)
  await query('update sandbox_customer set payment_method = $2 where id = $1', [
    agency.customerId,
    'pm_card_chargeCustomerFail',
  ])
  const lock = await stopped(agency)
  const call = agency.client.channels(sub, { linkedin: 1 })
  await isMet(lock)
  // As if the call had outlived its lease.
  const late = `update agency_event set due_at = now() - interval '1 minute'
    where target_account_id = $1 and status = 'processing' returning id`
  const [{ id }] = (await query<{ id: string }>(late, [sub])) as [{ id: string }]
  work({ atOnce: 1 }, PATIENT) // or it would put the event off, again and again
  await until('a worker has it', async () => (await stored(id)).attempts === 2)
  await lock.release()
  const { status, body } = await call
  expect([status, body]).toEqual([202, { ok: true, event_id: id, data: { status: 'pending' } }])
  expect(await ended(agency, id)).toMatchObject({ status: 'failed', error_code: 'SEAT_CHARGE_FAILED' })
}, 60_000)
