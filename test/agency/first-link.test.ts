import { setTimeout as delay } from 'node:timers/promises'
import { ended, makeAgency, newClient, startTestWorker, type TestAgency } from '../support/agencies.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { createClient } from '../support/client.js'
import { LOGIN, signIn } from '../support/factories/people.js'
import { dataOf, failureOf } from '../support/graphql.js'
import { untilBehind } from '../support/holding.js'
import { Mailbox, tellAll } from '../support/mail.js'

const PACE = { leaseMs: 1000, retryMs: 20 }
const ACCEPT = 'mutation ($token: String!, $password: String!) { acceptInvitation(token: $token, password: $password) }'
const CHOSEN = 'a password of my own'

let mailbox: Mailbox
let service: TestApp
let worker: { stop(): Promise<void> } | undefined
beforeAll(async () => {
  mailbox = await Mailbox.make()
  service = await startTestApp({ dataDir: mailbox.dataDir, publicUrl: 'https://dash.example.com', events: PACE })
})
afterEach(async () => {
  await worker?.stop()
  worker = undefined
})
afterAll(async () => {
  await service.stop()
  await mailbox.remove()
})

function startWorker(): void {
  worker = startTestWorker(service, PACE)
}

/** A creation that meets a provider that does not answer, and is left to the worker. */
async function leftToTheWorker(agency: TestAgency, overrides: object = {}, key?: string) {
  await agency.sandbox.disturb({ kind: 'down', method: 'charge', customerId: agency.customerId })
  const body = newClient({ channels: { linkedin: 1 }, include_credentials: true, ...overrides })
  const answer = await agency.client.create(body, key === undefined ? {} : { 'Idempotency-Key': key })
  expect(answer.status).toBe(202)
  return { body, email: body.admin_email, eventId: answer.body.event_id as string }
}

const hasPassword = async (email: string): Promise<boolean> => {
  const look = 'select password_hash is not null as has from sign_in where email_key = lower($1)'
  return (await service.database.pool.query(look, [email])).rows[0].has
}

test('the admin of a creation that the worker finished gets one link by mail, and signs in by it', async () => {
  const agency = await makeAgency(service)
  const { body, email, eventId } = await leftToTheWorker(agency, { name: 'Padaria' }, 'left')
  expect(await tellAll(service.database)).toEqual([])
  expect(await mailbox.to(email)).toEqual([])
  startWorker()
  const event = await ended(agency, eventId)
  expect(event).toMatchObject({ status: 'processed', attempts: 2 })
  expect(event.result).not.toHaveProperty('temporary_password')
  expect(await tellAll(service.database)).toEqual([])
  const mails = await mailbox.to(email)
  expect(mails.map(({ subject }) => subject)).toEqual(['Invitation to Padaria'])

  const again = await agency.client.create(body, { 'Idempotency-Key': 'left' })
  expect([again.status, again.headers.get('idempotent-replayed'), again.body.data]).toEqual([201, 'true', event.result])
  expect(await tellAll(service.database)).toEqual([])
  expect(await mailbox.to(email)).toHaveLength(1)

  const token = await mailbox.tokenTo(email)
  const anybody = createClient(service.origin)
  expect(dataOf(await anybody.graphql(ACCEPT, { token, password: CHOSEN }))).toBe(true)
  const { client } = await signIn(service, email, CHOSEN)
  expect(dataOf(await client.graphql('{ me { id role mustChangePassword account { id } } }'))).toEqual({
    id: event.result.admin.id,
    role: 'ADMIN',
    mustChangePassword: false,
    account: { id: event.result.id },
  })
  expect(failureOf(await anybody.graphql(ACCEPT, { token, password: CHOSEN })).code).toBe('INVALID_LINK')
}, 60_000)

test('none is sent of what its caller heard at once, be it with a password or without, nor of a replay', async () => {
  const { client } = await makeAgency(service)
  for (const include_credentials of [true, false]) {
    const body = newClient({ include_credentials, channels: { linkedin: 1 } })
    const key = { 'Idempotency-Key': `k ${include_credentials}`.replace(' ', '-') }
    const answers = [await client.create(body, key), await client.create(body, key)]
    expect(answers.map(({ status }) => status)).toEqual([201, 201])
    expect(await tellAll(service.database)).toEqual([])
    expect(await mailbox.to(body.admin_email)).toEqual([])
  }
})

test('one is sent of what took longer than its caller was made to wait, whose password nobody was told', async () => {
  const hasty = await startTestApp({ dataDir: mailbox.dataDir, events: { ...PACE, answerMs: 300 } }, undefined, service)
  try {
    const agency = await makeAgency(hasty)
    await agency.sandbox.disturb({ kind: 'slow', method: 'charge', customerId: agency.customerId, delayMs: 1500 })
    const body = newClient({ channels: { linkedin: 1 }, include_credentials: true })
    const first = await agency.client.create(body)
    expect([first.status, first.body.data]).toEqual([202, { status: 'pending' }])
    expect(await ended(agency, first.body.event_id)).toMatchObject({ status: 'processed', attempts: 1 })
    expect(await hasPassword(body.admin_email)).toBe(false)
    expect(await tellAll(service.database)).toEqual([])
    expect(await mailbox.to(body.admin_email)).toHaveLength(1)
  } finally {
    await hasty.stop()
  }
}, 60_000)

test('none is sent of what ends while its caller is about to be told that it has not', async () => {
  const hasty = await startTestApp(
    { dataDir: mailbox.dataDir, events: { ...PACE, answerMs: 5000 } },
    undefined,
    service,
  )
  const other = await service.database.pool.connect()
  try {
    const agency = await makeAgency(hasty)
    await agency.sandbox.disturb({ kind: 'slow', method: 'charge', customerId: agency.customerId, delayMs: 800 })
    const body = newClient({ channels: { linkedin: 1 }, include_credentials: true })
    const answer = agency.client.create(body)
    // Held while the seats are charged: the end has to wait for it, and what notes that it is late stands behind the end.
    await other.query('begin')
    const hold = 'select id from agency_event where agency_id = $1 and place is not null for update'
    while ((await other.query(hold, [agency.agencyId])).rowCount === 0) await delay(20)
    await untilBehind(service.database, other, 2)
    await other.query('commit')
    const { status, body: told } = await answer
    expect([status, told.data.temporary_password]).toEqual([201, expect.any(String)])
    expect(await tellAll(service.database)).toEqual([])
    expect(await mailbox.to(body.admin_email)).toEqual([])
  } finally {
    other.release()
    await hasty.stop()
  }
}, 60_000)

test('one is sent although workers die: before the seats are paid, after it, and before the mail is told of', async () => {
  const agency = await makeAgency(service)
  const { email, eventId } = await leftToTheWorker(agency)
  const die = `update agency_event set status = 'processing', due_at = now() where id = $1`
  // One has begun and done nothing; the next was answered too late to hear that the card was charged.
  await service.database.pool.query(die, [eventId])
  await agency.sandbox.disturb({ kind: 'lost_after', method: 'charge', customerId: agency.customerId })
  startWorker()
  expect(await ended(agency, eventId)).toMatchObject({ status: 'processed', attempts: 3 })
  await worker!.stop()
  expect(await mailbox.to(email)).toEqual([])
  expect(await tellAll(service.database)).toEqual([])
  expect(await tellAll(service.database)).toEqual([])
  expect(await mailbox.to(email)).toHaveLength(1)
}, 60_000)

test('none is sent of what came to nothing, and another creation may have the address', async () => {
  const agency = await makeAgency(service)
  await agency.sandbox.disturb({ kind: 'down', method: 'charge', customerId: agency.customerId, times: 20 })
  const body = newClient({ channels: { linkedin: 1 }, include_credentials: true })
  const { event_id } = (await agency.client.create(body)).body
  startWorker()
  expect(await ended(agency, event_id)).toMatchObject({ status: 'failed', error_code: 'TRANSIENT_FAILURE' })
  await agency.sandbox.calm()
  const created = await agency.client.create(body)
  expect(created.status).toBe(201)
  expect(await tellAll(service.database)).toEqual([])
  expect(await mailbox.to(body.admin_email)).toEqual([])
  const password = created.body.data.temporary_password
  const { body: answer } = await createClient(service.origin).graphql(LOGIN, { email: body.admin_email, password })
  expect(answer.data.login.mustChangePassword).toBe(true)
}, 60_000)
