import { request } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { AGENCY } from '../../src/apis/agency.js'
import { AgencyTokens, SCOPES } from '../../src/domains/agencies/index.js'
import {
  createAgencyClient,
  ended,
  key,
  makeAgency,
  newClient,
  seatsOf,
  type TestAgency,
  told,
} from '../support/agencies.js'
import type { TestApp } from '../support/app.js'
import { type Gateways, startGateways } from '../support/gateways.js'
import type { Json } from '../support/openapi.js'

// A token is revoked while calls are on their way. Whether one counts is decided as its event begins.

let gateways: Gateways
let service: TestApp
let other: TestApp
beforeAll(async () => {
  gateways = await startGateways()
  ;({ service, other } = gateways)
})
afterAll(() => gateways.stop())

const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n))

async function makeSubAccount(channels: object = {}) {
  const agency = await makeAgency(service, { seatPriceCents: 1000 })
  const { body } = await agency.client.create(newClient({ channels }))
  return { ...agency, id: body.data.id as string }
}

/** Sends the head of a call, and its body when told to. */
function begin({ agencyKey, token }: TestAgency, body: object) {
  const text = JSON.stringify(body)
  const headers = {
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
  }
  const path = `${AGENCY.base}/${agencyKey}/sub-accounts`
  const asked = request({ method: 'POST', host: '127.0.0.1', port: service.app.port, path, headers })
  const answer = new Promise<{ status: number; body: Json }>((resolve, reject) => {
    asked.on('error', reject).on('response', async (response) => {
      resolve({ status: response.statusCode!, body: JSON.parse(await readText(response)) })
    })
  })
  asked.flushHeaders()
  return { answer, send: () => asked.end(text) }
}

/** What the books say of an agency's calls. */
async function events({ agencyId }: TestAgency): Promise<string[]> {
  const statuses = 'select status from agency_event where agency_id = $1'
  return (await service.database.pool.query(statuses, [agencyId])).rows.map(({ status }) => status)
}

const revoke = ({ tokenId }: TestAgency) => new AgencyTokens(service.database).revoke(tokenId)

test('before its call begins, though it was let in: nothing is done, and no event tells of it', async () => {
  const agency = await makeAgency(service)
  const call = begin(agency, newClient({ channels: { linkedin: 1 } }))
  await delay(200) // it is admitted, and waits for its body
  await revoke(agency)
  call.send()
  expect(told(await call.answer)).toEqual([401, 'UNAUTHORIZED'])
  expect([await seatsOf(service, agency), await events(agency)]).toEqual([{ paid: 0, used: 0, open: 0 }, []])
})

test('elsewhere, where a gateway still believes it: it gives nobody anything that lasts', async () => {
  const agency = await makeSubAccount({ linkedin: 1 })
  const there = createAgencyClient(other.origin, agency.agencyKey, agency.token)
  const first = await there.channels(agency.id, { linkedin: 2 }, key('before'))
  // Not by way of a service that would tell the others of it.
  await service.database.pool.query('update agency_token set revoked_at = now() where id = $1', [agency.tokenId])
  const answers = await Promise.all([
    there.create(newClient({ channels: { linkedin: 1 } }), key('after')),
    there.channels(agency.id, { linkedin: 9 }),
    there.remove(agency.id),
  ])
  expect(answers.map((answer) => [...told(answer), answer.body.event_id])).toEqual(
    times(3, () => [401, 'UNAUTHORIZED', undefined]),
  )
  expect(answers[0]!.headers.get('www-authenticate')).toBe(AGENCY.challenge)
  expect([await seatsOf(service, agency), await events(agency)]).toEqual([
    { paid: 2, used: 2, open: 0 },
    ['processed', 'processed'],
  ])
  // The key of a call that was not let in is free: it comes to life with a token that is good.
  const { secret } = await new AgencyTokens(service.database).create(agency.agencyKey, Object.keys(SCOPES))
  const renewed = createAgencyClient(other.origin, agency.agencyKey, secret)
  expect(told(await renewed.create(newClient(), key('after')))).toEqual([201, 'done'])
  const again = await renewed.channels(agency.id, { linkedin: 2 }, key('before'))
  expect([again.headers.get('idempotent-replayed'), again.body]).toEqual(['true', first.body])
})

test('while its call is carried out: that call is done wholly and answered, and no other begins', async () => {
  const agency = await makeAgency(service)
  await agency.sandbox.disturb({ kind: 'slow', method: 'charge', customerId: agency.customerId, delayMs: 600 })
  const body = newClient({ channels: { linkedin: 1 }, include_credentials: true })
  const created = agency.client.create(body)
  while ((await events(agency)).length === 0) await delay(10)
  await revoke(agency)
  const { status, body: answer } = await created
  expect([status, answer.ok, typeof answer.data.temporary_password]).toEqual([201, true, 'string'])
  expect([await seatsOf(service, agency), await events(agency)]).toEqual([{ paid: 1, used: 1, open: 0 }, ['processed']])
  await delay(1100)
  expect(told(await agency.client.event(answer.event_id))).toEqual([401, 'UNAUTHORIZED'])
  expect(told(await agency.client.create(newClient()))).toEqual([401, 'UNAUTHORIZED'])
})

test('at the same moment as many calls: each is done wholly or has done nothing', async () => {
  const seen = new Set<string>()
  for (const wait of [0, 0, 1, 3, 6, 12, 25]) {
    const agency = await makeSubAccount()
    const there = createAgencyClient(other.origin, agency.agencyKey, agency.token)
    const [, ...answers] = await Promise.all([
      delay(wait).then(() => revoke(agency)),
      ...times(4, (n) => (n % 2 ? there : agency.client).create(newClient({ channels: { linkedin: 1 } }))),
    ])
    const done = answers.filter(({ status }) => status === 201).length
    const refused = answers.filter((answer) => told(answer).join() === '401,UNAUTHORIZED').length
    expect(done + refused).toBe(answers.length)
    expect(await seatsOf(service, agency)).toEqual({ paid: done, used: done, open: 0 })
    expect(await events(agency)).toEqual(times(1 + done, () => 'processed'))
    if (done > 0) seen.add('done')
    if (refused > 0) seen.add('refused')
  }
  expect([...seen].sort()).toEqual(['done', 'refused'])
}, 120_000)

test('while its write waits for the provider: the worker still ends it', async () => {
  const agency = await makeSubAccount()
  const { sandbox, customerId } = agency
  await sandbox.disturb({ kind: 'down', method: 'charge', customerId })
  const first = await agency.client.channels(agency.id, { linkedin: 2 })
  await revoke(agency)
  const { token, secret } = await new AgencyTokens(service.database).create(agency.agencyKey, ['sub_account.create'])
  expect(token.id).not.toBe(agency.tokenId)
  const later = { client: createAgencyClient(service.origin, agency.agencyKey, secret) }
  expect(await ended(later, first.body.event_id)).toMatchObject({
    status: 'processed',
    result: { delta_channels: 2 },
  })
}, 60_000)
