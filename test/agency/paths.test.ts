import { setTimeout as delay } from 'node:timers/promises'
import { reconcileAbandoned } from '../../src/domains/billing/reconcile.service.js'
import {
  createAgencyClient,
  ended,
  key,
  makeAgency,
  newClient,
  startTestWorker,
  type TestAgency,
  told,
} from '../support/agencies.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { createClient } from '../support/client.js'
import { LOGIN } from '../support/factories/people.js'
import { makeTenant } from '../support/factories.js'
import { tellAll } from '../support/mail.js'

// Ways that a call of an agency seldom goes.

const PACE = { leaseMs: 1000, retryMs: 20 }
const SLOW_MS = 2000

let service: TestApp
/** On the same database; its callers are not made to wait for long. */
let hasty: TestApp
let worker: { stop(): Promise<void> } | undefined
beforeAll(async () => {
  service = await startTestApp({ events: PACE, idempotencyWaitMs: 250 })
  hasty = await startTestApp({ events: { ...PACE, answerMs: 300 } }, undefined, service)
})
afterEach(async () => {
  await worker?.stop()
  worker = undefined
})
afterAll(async () => {
  await hasty.stop()
  await service.stop()
})

const slow = ({ sandbox, customerId }: TestAgency, delayMs = SLOW_MS) =>
  sandbox.disturb({ kind: 'slow', method: 'charge', customerId, delayMs })
const down = ({ sandbox, customerId }: TestAgency, times = 1) =>
  sandbox.disturb({ kind: 'down', method: 'charge', customerId, times })

async function withSubAccount(channels: object = {}, agency: Parameters<typeof makeAgency>[1] = {}) {
  const made = await makeAgency(service, { seatPriceCents: 1000, ...agency })
  const { body } = await made.client.create(newClient({ channels }))
  const impatient = createAgencyClient(hasty.origin, made.agencyKey, made.token)
  return { ...made, id: body.data.id as string, impatient }
}

/** What the sandbox has collected of an agency, and has not given back. */
const kept = async ({ customerId }: TestAgency): Promise<number[]> => {
  const { rows } = await service.database.pool.query<{ cents: number }>(
    `select cents::int from sandbox_invoice i where customer = $1 and status = 'paid'
      and not exists (select from sandbox_refund r where r.invoice = i.id) order by created_at`,
    [customerId],
  )
  return rows.map(({ cents }) => cents)
}

/** What of an agency is left in the tables of its clients. */
const traces = async (name: string, { agencyId }: TestAgency) => {
  const { rows } = await service.database.pool.query(
    `select (select count(*)::int from sub_account where agency_id = $2) as "subAccounts",
      (select count(*)::int from account where name = $1) as accounts,
      (select count(*)::int from app_user u join account a on a.id = u.account_id where a.name = $1) as users,
      (select count(*)::int from agency_event where agency_id = $2 and status in ('pending', 'processing')) as unfinished,
      (select count(*)::int from seat_charge where agency_id = $2
        and state not in ('applied', 'declined', 'refunded', 'dropped')) as charges`,
    [name, agencyId],
  )
  return rows[0]
}
const NOTHING = { subAccounts: 0, accounts: 0, users: 0, unfinished: 0, charges: 0 }

describe('an attempt that takes longer than its caller is made to wait', () => {
  test('is answered 202, goes on by itself, and a repeat hears how it ended', async () => {
    const agency = await withSubAccount()
    await slow(agency)
    const change = () => agency.impatient.channels(agency.id, { linkedin: 2 }, key('late'))
    const first = await change()
    expect(told(first)).toEqual([202, 'pending'])
    const meanwhile = await change()
    expect([...told(meanwhile), meanwhile.body.event_id]).toEqual([202, 'pending', first.body.event_id])
    const running = (await agency.client.event(first.body.event_id)).body.data
    expect(running).toMatchObject({ status: 'processing', attempts: 1, result: null })
    // No worker runs: whoever began it ends it.
    const event = await ended(agency, first.body.event_id)
    expect(event).toMatchObject({ status: 'processed', attempts: 1, result: { delta_channels: 2 } })
    const again = await change()
    expect([again.status, again.body.data, again.headers.get('idempotent-replayed')]).toEqual([
      200,
      event.result,
      'true',
    ])
    expect(await kept(agency)).toEqual([2000])
  }, 60_000)

  test('ends its event with what it fails for, too', async () => {
    const agency = await withSubAccount({}, { paymentMethod: 'pm_card_chargeCustomerFail' })
    await slow(agency)
    const first = await agency.impatient.channels(agency.id, { linkedin: 1 }, key('late'))
    expect(told(first)).toEqual([202, 'pending'])
    const event = await ended(agency, first.body.event_id)
    expect(event).toMatchObject({ status: 'failed', error_code: 'SEAT_CHARGE_FAILED', result: null })
    const again = await agency.client.channels(agency.id, { linkedin: 1 }, key('late'))
    expect([...told(again), again.body.event_id]).toEqual([402, 'SEAT_CHARGE_FAILED', event.id])
  }, 60_000)

  test('has later writes of the sub-account wait for it', async () => {
    const agency = await withSubAccount()
    await slow(agency)
    const first = await agency.impatient.channels(agency.id, { linkedin: 2 })
    const second = await agency.client.channels(agency.id, { linkedin: 1 })
    expect([first, second].map(told)).toEqual([
      [202, 'pending'],
      [202, 'pending'],
    ])
    worker = startTestWorker(service, PACE)
    const events = [await ended(agency, first.body.event_id), await ended(agency, second.body.event_id)]
    expect(events.map(({ status, result }) => [status, result.delta_channels])).toEqual([
      ['processed', 2],
      ['processed', -1],
    ])
  }, 60_000)
})

test('a repeat waits for a first call that runs, and is told when that takes too long', async () => {
  const agency = await withSubAccount()
  await slow(agency, 3000)
  const change = () => agency.client.channels(agency.id, { linkedin: 1 }, key('k'))
  const first = change()
  await delay(300)
  const early = await change()
  expect([...told(early), early.headers.get('retry-after')]).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS', '1'])
  expect(told(await first)).toEqual([200, 'done'])
  expect((await change()).headers.get('idempotent-replayed')).toBe('true')
  expect(await kept(agency)).toEqual([1000])
}, 60_000)

describe('a creation whose process dies', () => {
  /** As a process leaves it that dies while it makes this attempt; its lease has ended. */
  const die = (eventId: string, attempts: number) =>
    service.database.pool.query(
      "update agency_event set status = 'processing', attempts = $2, due_at = now() where id = $1",
      [eventId, attempts],
    )

  test('in its last attempt leaves no reservation, and what it has taken is free', async () => {
    const agency = await makeAgency(service, { seatPriceCents: 1000 })
    const body = newClient({ name: `Gone ${agency.agencyId}`, external_ref: 'gone', channels: { linkedin: 1 } })
    await down(agency, 2)
    const first = await agency.client.create(body)
    expect(told(first)).toEqual([202, 'pending'])
    expect(await traces(body.name, agency)).toEqual({
      subAccounts: 1,
      accounts: 1,
      users: 1,
      unfinished: 1,
      charges: 1,
    })
    await die(first.body.event_id, 5)
    worker = startTestWorker(service, PACE)
    const event = await ended(agency, first.body.event_id)
    expect(event).toMatchObject({
      status: 'failed',
      attempts: 5,
      error_code: 'TRANSIENT_FAILURE',
      target_account_id: null,
    })
    await agency.sandbox.calm()
    const { database } = service
    await database.pool.query("update seat_charge set called_at = now() - interval '2 hours' where agency_id = $1", [
      agency.agencyId,
    ])
    await reconcileAbandoned(database, { provider: agency.sandbox })
    expect(await traces(body.name, agency)).toEqual(NOTHING)
    const again = await agency.client.create(body)
    expect([again.status, again.body.data.external_ref, again.body.data.slug]).toEqual([
      201,
      'gone',
      expect.stringMatching(/^gone-/),
    ])
    // Nor does what came to nothing count in the hour.
    for (let n = 0; n < 4; n++) expect((await agency.client.create(newClient())).status).toBe(201)
  }, 60_000)

  test('after its card was declined leaves nothing either', async () => {
    const agency = await makeAgency(service, { paymentMethod: 'pm_card_chargeCustomerFail' })
    const body = newClient({ name: `Declined ${agency.agencyId}`, channels: { linkedin: 1 } })
    await down(agency)
    const first = await agency.client.create(body)
    expect(told(first)).toEqual([202, 'pending'])
    // What ends the event with the decline fails once, after the reservation was taken back.
    const { pool } = service.database
    const refuse = `refuse_${agency.agencyId.replaceAll('-', '')}`
    await pool.query(`create function ${refuse}() returns trigger language plpgsql as $$ begin
      if new.id = '${first.body.event_id}' and new.status = 'failed' and new.attempts = 2 then raise 'dead'; end if;
      return new; end $$`)
    await pool.query(`create trigger ${refuse} before update on agency_event for each row execute function ${refuse}()`)
    try {
      worker = startTestWorker(service, PACE)
      const event = await ended(agency, first.body.event_id)
      expect(event).toMatchObject({ status: 'failed', attempts: 3, error_code: 'SEAT_CHARGE_FAILED' })
    } finally {
      await pool.query(`drop function ${refuse} cascade`)
    }
    expect(await traces(body.name, agency)).toEqual(NOTHING)
    expect((await agency.client.create({ ...body, channels: {} })).status).toBe(201)
  }, 60_000)
})

describe('five attempts whose answers are lost', () => {
  test('end a raise for good: what was paid is given back, and nothing is applied', async () => {
    const agency = await withSubAccount({ linkedin: 1 })
    const { sandbox, customerId } = agency
    await sandbox.disturb({ kind: 'lost_after', method: 'charge', customerId, times: 20 })
    // Nor is it told what became of the first.
    await sandbox.disturb({ kind: 'down', customerId, times: 60 })
    const first = await agency.client.channels(agency.id, { linkedin: 3 }, key('lost'))
    expect(told(first)).toEqual([202, 'pending'])
    worker = startTestWorker(service, PACE)
    const event = await ended(agency, first.body.event_id)
    expect(event).toMatchObject({ status: 'failed', attempts: 5, error_code: 'TRANSIENT_FAILURE', result: null })
    expect(event.last_error).toMatch(/given back/)
    await sandbox.calm()
    const same = await agency.client.channels(agency.id, { linkedin: 1 })
    expect((await agency.client.event(same.body.event_id)).body.data.status).toBe('ignored')
    const { database } = service
    await database.pool.query("update seat_charge set called_at = now() - interval '2 hours' where agency_id = $1", [
      agency.agencyId,
    ])
    expect(await kept(agency)).toEqual([1000, 2000])
    await reconcileAbandoned(database, { provider: sandbox })
    expect(await kept(agency)).toEqual([1000])
    expect((await traces('nobody', agency)).charges).toBe(0)
    const again = await agency.client.channels(agency.id, { linkedin: 3 }, key('lost'))
    expect([...told(again), again.body.event_id]).toEqual([502, 'TRANSIENT_FAILURE', event.id])
    const anew = await agency.client.channels(agency.id, { linkedin: 3 }, key('anew'))
    expect(anew.body.data).toMatchObject({ delta_channels: 2, seat_charge: { chargedCents: 2000 } })
  }, 60_000)
})

describe('a sub-account that is not paid yet', () => {
  test('is nowhere to be seen: by a sign-in, a link, a reference, an event, another who wants what it has taken', async () => {
    const agency = await makeAgency(service, { seatPriceCents: 1000 })
    const body = newClient({ external_ref: 'half', channels: { linkedin: 1 }, include_credentials: true })
    await down(agency)
    const { event_id } = (await agency.client.create(body)).body
    const { rows } = await service.database.pool.query('select id, admin_id from sub_account where agency_id = $1', [
      agency.agencyId,
    ])
    const [{ id, admin_id: adminId }] = rows
    const { data } = (await agency.client.event(event_id)).body
    expect(data).toMatchObject({ status: 'pending', target_account_id: null, result: null })
    expect(JSON.stringify(data)).not.toContain(id)

    for (const reference of ['ext:half', id]) {
      expect(told(await agency.client.channels(reference, {}))).toEqual([404, 'SUB_ACCOUNT_NOT_FOUND'])
      expect(told(await agency.client.remove(reference))).toEqual([404, 'SUB_ACCOUNT_NOT_FOUND'])
    }
    const other = await makeAgency(service)
    expect(told(await other.client.channels(id, {}))).toEqual([404, 'SUB_ACCOUNT_NOT_FOUND'])

    const anybody = createClient(service.origin)
    const login = await anybody.graphql(LOGIN, { email: body.admin_email, password: 'whatever it may be' })
    expect(login.body.errors[0].extensions.code).toBe('INVALID_CREDENTIALS')
    await anybody.graphql('mutation ($email: String!) { requestPasswordReset(email: $email) }', {
      email: body.admin_email,
    })
    expect(await tellAll(service.database)).toEqual([])
    const links = await service.database.pool.query('select id from sign_in_link where sign_in_id = $1', [adminId])
    expect(links.rows).toEqual([])

    expect(told(await other.client.create(newClient({ admin_email: body.admin_email })))).toEqual([
      409,
      'EMAIL_ALREADY_REGISTERED',
    ])
    expect(told(await agency.client.create(newClient({ external_ref: 'half' })))).toEqual([
      409,
      'EXTERNAL_REF_ALREADY_USED',
    ])
    const tenant = await makeTenant(service)
    for (const path of ['/users?limit=100', '/reports/sellers', '/pipelines']) {
      expect(JSON.stringify((await tenant.client.get(path)).body)).not.toContain(adminId)
    }
    worker = startTestWorker(service, PACE)
    expect((await ended(agency, event_id)).result).toMatchObject({ id, admin: { id: adminId } })
    expect(told(await agency.client.channels('ext:half', { linkedin: 1 }))).toEqual([200, 'done'])
  }, 60_000)
})
