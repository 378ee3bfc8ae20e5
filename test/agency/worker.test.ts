import { ended, makeAgency, newClient, startTestWorker, type TestAgency } from '../support/agencies.js'
import { startTestApp, type TestApp } from '../support/app.js'

const PACE = { leaseMs: 2000, retryMs: 20 }

let service: TestApp
let worker: { stop(): Promise<void> }
beforeAll(async () => {
  service = await startTestApp({ events: PACE })
  worker = startTestWorker(service, PACE)
})
afterAll(async () => {
  await worker.stop()
  await service.stop()
})

const money = async ({ customerId }: TestAgency): Promise<{ paid: number; invoices: number }> => {
  const { rows } = await service.database.pool.query(
    "select coalesce(sum(cents), 0)::int as paid, count(*)::int as invoices from sandbox_invoice where customer = $1 and status = 'paid'",
    [customerId],
  )
  return rows[0]
}

const accounts = async (name: string) =>
  (await service.database.pool.query('select id from account where name = $1', [name])).rowCount

describe('an event that meets a failure which may pass', () => {
  test.each(['down', 'busy', 'lost_before', 'lost_after', 'error_before', 'error_after'] as const)(
    'is answered 202 and finished by the worker, charged once: %s',
    async (kind) => {
      const agency = await makeAgency(service, { seatPriceCents: 1000 })
      const { client, sandbox, customerId } = agency
      const { body: created } = await client.create(newClient())
      await sandbox.disturb({ kind, method: 'charge', customerId })
      const key = { 'Idempotency-Key': kind }
      const first = await client.channels(created.data.id, { linkedin: 2 }, key)
      expect([first.status, first.body]).toEqual([
        202,
        { ok: true, event_id: expect.any(String), data: { status: 'pending' } },
      ])
      const event = await ended(agency, first.body.event_id)
      expect(event).toMatchObject({ status: 'processed', error_code: null, last_error: null })
      expect(event.attempts).toBeGreaterThan(1)
      expect(await money(agency)).toEqual({ paid: 2000, invoices: 1 })
      const again = await client.channels(created.data.id, { linkedin: 2 }, key)
      expect([again.status, again.body]).toEqual([200, { ok: true, event_id: event.id, data: event.result }])
    },
    60_000,
  )

  test('of a creation hides everything until it is done', async () => {
    const agency = await makeAgency(service, { seatPriceCents: 1000 })
    const { client, sandbox, customerId } = agency
    await sandbox.disturb({ kind: 'down', method: 'charge', customerId, times: 2 })
    const body = newClient({
      name: 'Slow Start',
      external_ref: 'slow',
      channels: { linkedin: 1 },
      include_credentials: true,
    })
    const first = await client.create(body)
    expect(first.status).toBe(202)
    const event = await ended(agency, first.body.event_id)
    expect(event).toMatchObject({ status: 'processed', target_account_id: event.result.id })
    expect(event.attempts).toBeGreaterThanOrEqual(3) // a busy machine may well end one of them for a reason of its own
    expect(event.result).not.toHaveProperty('temporary_password')
    expect((await client.channels('ext:slow', { linkedin: 1 })).status).toBe(200)
  }, 60_000)

  test('fails for good after five attempts, with nothing left of a creation and nothing paid', async () => {
    const agency = await makeAgency(service, { seatPriceCents: 1000 })
    const { client, sandbox, customerId } = agency
    await sandbox.disturb({ kind: 'down', method: 'charge', customerId, times: 20 })
    const body = newClient({ name: 'Never Was', external_ref: 'never', channels: { linkedin: 1 } })
    const key = { 'Idempotency-Key': 'never' }
    const first = await client.create(body, key)
    expect(first.status).toBe(202)
    const event = await ended(agency, first.body.event_id)
    expect(event).toMatchObject({ status: 'failed', attempts: 5, error_code: 'TRANSIENT_FAILURE', result: null })
    expect(await accounts('Never Was')).toBe(0)
    expect(await money(agency)).toEqual({ paid: 0, invoices: 0 })
    const again = await client.create(body, key)
    expect([again.body.event_id, again.body.error.code]).toEqual([event.id, 'TRANSIENT_FAILURE'])
    await sandbox.calm()
    expect((await client.create({ ...body, channels: {} })).status).toBe(201)
  }, 60_000)

  test('has later writes of its sub-account wait behind it, in their order', async () => {
    const agency = await makeAgency(service, { seatPriceCents: 1000 })
    const { client, sandbox, customerId } = agency
    const { body: created } = await client.create(newClient())
    const { id } = created.data
    await sandbox.disturb({ kind: 'down', method: 'charge', customerId, times: 3 })
    const answers = [
      await client.channels(id, { linkedin: 2 }),
      await client.channels(id, { linkedin: 1 }),
      await client.remove(id),
    ]
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202])
    const events = await Promise.all(answers.map(({ body }) => ended(agency, body.event_id)))
    expect(events.map(({ status }) => status)).toEqual(['processed', 'processed', 'processed'])
    expect(events.map(({ result }) => result.delta_channels)).toEqual([2, -1, undefined])
    const order = events.map(({ processed_at }) => processed_at)
    expect(order).toEqual(order.toSorted())
    expect((await client.channels(id, {})).status).toBe(404)
  }, 60_000)

  test('is taken up within twice the lease when its process has died', async () => {
    const agency = await makeAgency(service, { seatPriceCents: 1000 })
    const { client, sandbox, customerId } = agency
    const { body: created } = await client.create(newClient())
    await sandbox.disturb({ kind: 'down', method: 'charge', customerId })
    await worker.stop()
    const first = await client.channels(created.data.id, { linkedin: 1 })
    // As a process leaves it that dies in the middle of the second attempt.
    await service.database.pool.query(
      `update agency_event set status = 'processing', attempts = 2, due_at = now() + interval '2 seconds' where id = $1`,
      [first.body.event_id],
    )
    worker = startTestWorker(service, PACE)
    const event = await ended(agency, first.body.event_id)
    expect(event).toMatchObject({ status: 'processed', attempts: 3 })
  }, 60_000)
})
