import { SeatBilling } from '../../src/domains/billing/index.js'
import { endDueTrials, provisioningMeans } from '../../src/domains/sub-accounts/index.js'
import { TakenOver } from '../../src/domains/sub-accounts/provisioning-errors.service.js'
import { SandboxBilling } from '../../src/integrations/billing/index.js'
import {
  type AgencyClient,
  ended,
  makeAgency,
  newClient,
  startTestWorker,
  type TestAgency,
} from '../support/agencies.js'
import { startTestApp, type TestApp } from '../support/app.js'
import type { Client } from '../support/client.js'
import { makeOperator, signIn } from '../support/factories/people.js'
import { dataOf, failureOf } from '../support/graphql.js'

const PACE = { leaseMs: 2000, retryMs: 20 }

let service: TestApp
let worker: { stop(): Promise<void> }
let operator: Client
let operatorId: string
beforeAll(async () => {
  service = await startTestApp({ events: PACE })
  worker = startTestWorker(service, PACE)
  const { id, email } = await makeOperator(service)
  operatorId = id
  operator = (await signIn(service, email)).client
})
afterAll(async () => {
  await worker.stop()
  await service.stop()
})

const EVENT = 'id action status attempts targetAccountId result errorCode lastError'
const START = `mutation ($id: ID!, $endsAt: DateTime!) { startTrial(subAccountId: $id, endsAt: $endsAt) { ${EVENT} } }`
const END = `mutation ($id: ID!) { endTrial(subAccountId: $id) { ${EVENT} } }`
const DAY = 86_400_000
const SOON = () => new Date(Date.now() + 14 * DAY).toISOString()
const NONE = { linkedin: 0, whatsapp: 0, instagram: 0, email_marketing: 0 }

const start = (id: string, endsAt = SOON()) => operator.graphql(START, { id, endsAt })
const end = (id: string) => operator.graphql(END, { id })
const query = async (text: string, values: unknown[]) => (await service.database.pool.query(text, values)).rows

/** Lets the time of a trial run out, of which nobody has taken notice yet. */
const runOut = (id: string) =>
  query("update sub_account set trial_ends_at = now() - interval '1 second' where id = $1", [id])

/** What the sandbox has collected, the seats that are paid for, and where the sub-account stands. */
async function standing({ customerId, agencyId }: TestAgency, id: string) {
  const [row] = await query(
    `select (select coalesce(sum(cents), 0)::int from sandbox_invoice where customer = $1 and status = 'paid') as paid,
       (select coalesce(sum(seats), 0)::int from seat_change where agency_id = $2 and sub_account_id = $3) as seats,
       whatsapp, trial_ends_at is not null as "inTrial" from sub_account where id = $3`,
    [customerId, agencyId, id],
  )
  return row as { paid: number; seats: number; whatsapp: number; inTrial: boolean }
}

const endEvents = async (id: string) =>
  (
    await query(
      `select status from agency_event where target_account_id = $1 and action = 'sub_account.trial.end' order by place`,
      [id],
    )
  ).map(({ status }) => status as string)

/** Whether all events of a sub-account have come to their end. */
async function settled(id: string): Promise<void> {
  const open = "select id from agency_event where target_account_id = $1 and status in ('pending', 'processing')"
  while ((await query(open, [id])).length > 0) await new Promise((resolve) => setTimeout(resolve, 20))
}

/** Billing in a process that dies at a moment of it. */
function dyingAt(moment: string): SeatBilling {
  const die = (now: string) => {
    if (now === moment) throw new TakenOver('the process has died')
  }
  class Dying extends SeatBilling {
    override prepare(...given: Parameters<SeatBilling['prepare']>) {
      die('prepare')
      return super.prepare(...given)
    }
    override async collect(...given: Parameters<SeatBilling['collect']>) {
      die('collect')
      const settled = await super.collect(...given)
      die('collected')
      return settled
    }
    override async apply(...given: Parameters<SeatBilling['apply']>) {
      const settled = await super.apply(...given)
      die('applied')
      return settled
    }
  }
  return new Dying(service.database, new SandboxBilling(service.database))
}

async function withSubAccount(channels: object = {}, agency: Parameters<typeof makeAgency>[1] = {}) {
  const made = await makeAgency(service, { seatPriceCents: 1000, ...agency })
  const { body } = await made.client.create(newClient({ channels }))
  return { ...made, id: body.data.id as string }
}

const refusal = async (client: AgencyClient, id: string, channels: object) => {
  const { status, body } = await client.channels(id, channels)
  return [status, body.error?.code]
}

describe('a trial', () => {
  test('releases what was paid without credit, has whatsapp alone, and its seats cost nothing', async () => {
    const agency = await withSubAccount({ whatsapp: 2 })
    expect(await standing(agency, agency.id)).toEqual({ paid: 2000, seats: 2, whatsapp: 2, inTrial: false })
    const endsAt = SOON()
    const event = dataOf(await start(agency.id, endsAt))
    expect(event).toMatchObject({
      action: 'sub_account.trial.start',
      status: 'PROCESSED',
      targetAccountId: agency.id,
      result: {
        id: agency.id,
        trial: { status: 'active', ends_at: endsAt, channels: ['whatsapp'] },
        released_seats: 2,
      },
    })
    expect(await standing(agency, agency.id)).toEqual({ paid: 2000, seats: 0, whatsapp: 2, inTrial: true })
    expect((await agency.client.event(event.id)).body.data.status).toBe('processed')

    const raised = await agency.client.channels(agency.id, { whatsapp: 5 })
    expect([raised.status, raised.body.data.delta_channels, raised.body.data.seat_charge]).toEqual([200, 0, null])
    for (const channel of ['linkedin', 'instagram', 'email_marketing']) {
      expect(await refusal(agency.client, agency.id, { whatsapp: 5, [channel]: 1 })).toEqual([
        409,
        'TRIAL_CHANNEL_LOCKED',
      ])
    }
    expect(await standing(agency, agency.id)).toEqual({ paid: 2000, seats: 0, whatsapp: 5, inTrial: true })
  })

  test('does not start with other channels, in the past, or of what is not there', async () => {
    const agency = await withSubAccount({ linkedin: 1 })
    expect(failureOf(await start(agency.id)).code).toBe('TRIAL_CHANNEL_LOCKED')
    expect(failureOf(await start(agency.id, new Date(Date.now() - 1000).toISOString())).code).toBe('VALIDATION_ERROR')
    for (const id of [agency.agencyId, 'nonsense']) expect(failureOf(await start(id)).code).toBe('NOT_FOUND')
    expect(failureOf(await end('nonsense')).code).toBe('NOT_FOUND')
    expect(await standing(agency, agency.id)).toEqual({ paid: 1000, seats: 1, whatsapp: 0, inTrial: false })
  })

  test('that runs gets another end when it is started again', async () => {
    const agency = await withSubAccount({ whatsapp: 1 })
    dataOf(await start(agency.id))
    await runOut(agency.id)
    expect(dataOf(await start(agency.id)).status).toBe('PROCESSED')
    await endDueTrials(service.database)
    await settled(agency.id)
    expect(await endEvents(agency.id)).toEqual([])
    expect(await standing(agency, agency.id)).toEqual({ paid: 1000, seats: 0, whatsapp: 1, inTrial: true })
  })

  test('is started and ended in the name of the operator who did so', async () => {
    const agency = await withSubAccount()
    dataOf(await start(agency.id))
    dataOf(await end(agency.id))
    const entries =
      'select action, subject_kind, user_id from audit_entry where subject_id = $1 and user_id is not null'
    expect(await query(entries, [agency.id])).toEqual([
      { action: 'trial_started', subject_kind: 'sub_account', user_id: operatorId },
      { action: 'trial_ended', subject_kind: 'sub_account', user_id: operatorId },
    ])
  })
})

describe('the end of a trial', () => {
  test('that is due is charged like a raise, once however often it is looked for', async () => {
    const agency = await withSubAccount({ whatsapp: 1 })
    dataOf(await start(agency.id))
    await agency.client.channels(agency.id, { whatsapp: 3 })
    await endDueTrials(service.database)
    expect(await endEvents(agency.id)).toEqual([])
    await runOut(agency.id)
    await Promise.all(Array.from({ length: 5 }, () => endDueTrials(service.database)))
    await settled(agency.id)
    await endDueTrials(service.database)
    expect(await endEvents(agency.id)).toEqual(['processed'])
    expect(await standing(agency, agency.id)).toEqual({ paid: 4000, seats: 3, whatsapp: 3, inTrial: false })
    const lowered = await agency.client.channels(agency.id, { whatsapp: 1 })
    expect(lowered.body.data.delta_channels).toBe(-2)
  })

  test('comes early when the operator says so, and charges what its event tells', async () => {
    const agency = await withSubAccount({ whatsapp: 2 })
    dataOf(await start(agency.id))
    const event = dataOf(await end(agency.id))
    expect(event).toMatchObject({
      status: 'PROCESSED',
      result: {
        channels: { ...NONE, whatsapp: 2 },
        trial: null,
        seat_charge: { ok: true, paid: true, chargedCents: 2000, addedChannels: 2 },
      },
    })
    expect(dataOf(await end(agency.id)).status).toBe('IGNORED')
    expect(await standing(agency, agency.id)).toEqual({ paid: 4000, seats: 2, whatsapp: 2, inTrial: false })
    expect((await agency.client.channels(agency.id, { linkedin: 1, whatsapp: 2 })).status).toBe(200)
  })

  test('without seats charges nothing', async () => {
    const agency = await withSubAccount()
    dataOf(await start(agency.id))
    expect(dataOf(await end(agency.id))).toMatchObject({ status: 'PROCESSED', result: { seat_charge: null } })
    expect(await standing(agency, agency.id)).toEqual({ paid: 0, seats: 0, whatsapp: 0, inTrial: false })
  })

  test.each([
    ['pm_card_chargeCustomerFail', /The card on file was declined; the trial has ended/],
    [undefined, /no card on file; the trial has ended/],
  ])('sets the channels to 0 when the card is declined, and says why: %s', async (paymentMethod, reason) => {
    const agency = await withSubAccount({}, { paymentMethod })
    dataOf(await start(agency.id))
    await agency.client.channels(agency.id, { whatsapp: 2 })
    await runOut(agency.id)
    await endDueTrials(service.database)
    await settled(agency.id)
    const [{ id }] = await query(
      "select id from agency_event where target_account_id = $1 and action = 'sub_account.trial.end'",
      [agency.id],
    )
    expect((await agency.client.event(id)).body.data).toMatchObject({
      status: 'failed',
      error_code: 'SEAT_CHARGE_FAILED',
      last_error: expect.stringMatching(reason),
    })
    expect(await standing(agency, agency.id)).toEqual({ paid: 0, seats: 0, whatsapp: 0, inTrial: false })
    await endDueTrials(service.database)
    expect(await endEvents(agency.id)).toEqual(['failed'])
  })

  test.each(['down', 'lost_after'] as const)('outlives a failure that may pass: %s', async (kind) => {
    const agency = await withSubAccount({ whatsapp: 2 })
    dataOf(await start(agency.id))
    await agency.sandbox.disturb({ kind, method: 'charge', customerId: agency.customerId })
    const first = dataOf(await end(agency.id))
    expect(first.status).toMatch(/PENDING|PROCESSING|PROCESSED/)
    const event = await ended(agency, first.id)
    expect([event.status, event.attempts]).toEqual(['processed', 2])
    expect(await standing(agency, agency.id)).toEqual({ paid: 4000, seats: 2, whatsapp: 2, inTrial: false })
  })

  // A process that dies stores nothing more of the event: so does an attempt that hears it was taken over.
  test.each(['prepare', 'collect', 'collected', 'applied'])('outlives a process that dies: %s', async (moment) => {
    const agency = await withSubAccount({ whatsapp: 2 })
    dataOf(await start(agency.id))
    const { needs } = service.database
    const means = needs.get(provisioningMeans)
    needs.provide(provisioningMeans, { ...means, billing: dyingAt(moment), leaseMs: 300 })
    const first = dataOf(await end(agency.id))
    needs.provide(provisioningMeans, means)
    expect(first.status).toBe('PROCESSING')
    const event = await ended(agency, first.id)
    expect([event.status, event.attempts]).toEqual(['processed', 2])
    expect(event.result.seat_charge).toEqual({ ok: true, paid: true, chargedCents: 2000, addedChannels: 2 })
    expect(await standing(agency, agency.id)).toEqual({ paid: 4000, seats: 2, whatsapp: 2, inTrial: false })
  })

  test('that fails for good leaves the trial as it is, and is tried again only after an hour', async () => {
    const agency = await withSubAccount({ whatsapp: 1 })
    dataOf(await start(agency.id))
    await runOut(agency.id)
    await agency.sandbox.disturb({ kind: 'down', method: 'charge', customerId: agency.customerId, times: 20 })
    await endDueTrials(service.database)
    await settled(agency.id)
    await endDueTrials(service.database)
    expect(await endEvents(agency.id)).toEqual(['failed'])
    expect(await standing(agency, agency.id)).toEqual({ paid: 1000, seats: 0, whatsapp: 1, inTrial: true })
    expect((await agency.client.channels(agency.id, { whatsapp: 2 })).body.data.seat_charge).toBeNull()
    await agency.sandbox.calm()
    await query(
      "update agency_event set processed_at = now() - interval '61 minutes' where target_account_id = $1 and status = 'failed'",
      [agency.id],
    )
    await endDueTrials(service.database)
    await settled(agency.id)
    expect(await endEvents(agency.id)).toEqual(['failed', 'processed'])
    expect(await standing(agency, agency.id)).toEqual({ paid: 3000, seats: 2, whatsapp: 2, inTrial: false })
  }, 60_000)
})

describe('at the very moment of its end', () => {
  test('a change of channels comes after the charge, whoever notices first', async () => {
    const agency = await withSubAccount({ whatsapp: 2 })
    dataOf(await start(agency.id))
    await runOut(agency.id)
    const lowered = await agency.client.channels(agency.id, { whatsapp: 1, linkedin: 1 })
    expect(lowered.status).toBe(202)
    expect(await ended(agency, lowered.body.event_id)).toMatchObject({ status: 'processed' })
    expect(await endEvents(agency.id)).toEqual(['processed'])
    expect(await standing(agency, agency.id)).toEqual({ paid: 4000, seats: 2, whatsapp: 1, inTrial: false })
  })

  test('changes, the job, the operator and a deletion leave the seats that the channels have', async () => {
    const agency = await withSubAccount({ whatsapp: 2 })
    for (let round = 0; round < 8; round++) {
      dataOf(await start(agency.id))
      await runOut(agency.id)
      await Promise.all([
        agency.client.channels(agency.id, { whatsapp: 1 + (round % 3) }),
        endDueTrials(service.database),
        end(agency.id),
        agency.client.channels(agency.id, { whatsapp: 3 }),
        end(agency.id),
        endDueTrials(service.database),
      ])
      await settled(agency.id)
      const { seats, whatsapp, inTrial } = await standing(agency, agency.id)
      expect([inTrial, seats]).toEqual([false, whatsapp])
      expect((await endEvents(agency.id)).filter((status) => status === 'processed')).toHaveLength(round + 1)
    }
    dataOf(await start(agency.id))
    await runOut(agency.id)
    await Promise.all([agency.client.remove(agency.id), end(agency.id), endDueTrials(service.database)])
    await settled(agency.id)
    expect(await standing(agency, agency.id)).toMatchObject({ seats: 0, inTrial: false })
  }, 60_000)
})

test('a sub-account in its trial can be deleted, and nothing is charged after it', async () => {
  const agency = await withSubAccount({ whatsapp: 2 })
  dataOf(await start(agency.id))
  expect((await agency.client.remove(agency.id)).status).toBe(200)
  await endDueTrials(service.database)
  expect(await endEvents(agency.id)).toEqual([])
  expect(failureOf(await end(agency.id)).code).toBe('NOT_FOUND')
  expect(await standing(agency, agency.id)).toMatchObject({ paid: 2000, seats: 0, inTrial: false })
})

test('a trial starts behind what the sub-account still waits for', async () => {
  const agency = await withSubAccount()
  await agency.sandbox.disturb({ kind: 'down', method: 'charge', customerId: agency.customerId, times: 2 })
  const raised = await agency.client.channels(agency.id, { whatsapp: 2 })
  expect(raised.status).toBe(202)
  const event = await ended(agency, dataOf(await start(agency.id)).id)
  expect([event.status, event.result.released_seats]).toEqual(['processed', 2])
  expect(await standing(agency, agency.id)).toEqual({ paid: 2000, seats: 0, whatsapp: 2, inTrial: true })
})

test('a provider that refuses the service itself is logged as an error, and the agency hears no more than that', async () => {
  const agency = await withSubAccount()
  await query('delete from sandbox_customer where id = $1', [agency.customerId])
  const raised = await agency.client.channels(agency.id, { whatsapp: 2 })
  expect(raised.status).toBe(202)
  const event = await ended(agency, raised.body.event_id)
  expect(event).toMatchObject({ status: 'failed', error_code: 'TRANSIENT_FAILURE' })
  const alarm = service.logs().find(({ event }) => event === raised.body.event_id)
  expect(alarm).toMatchObject({
    level: 'error',
    err: { message: 'Billing refuses the service: there is no such customer' },
  })
  expect(JSON.stringify(event)).not.toContain('customer')
}, 60_000)
