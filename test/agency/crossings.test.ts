import { setTimeout as delay } from 'node:timers/promises'
import {
  type Answered,
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
import { createClient } from '../support/client.js'
import { LOGIN, signIn, withSession } from '../support/factories/people.js'
import { type Gateways, startGateways } from '../support/gateways.js'

// Calls that meet each other, and people who work while their sub-account changes.

const CHOSEN = 'a password of my own'

let gateways: Gateways
let service: TestApp
let other: TestApp
beforeAll(async () => {
  gateways = await startGateways()
  ;({ service, other } = gateways)
})
afterAll(() => gateways.stop())

const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n))

async function withSubAccount(channels: object = {}, overrides: object = {}) {
  const agency = await makeAgency(service, { seatPriceCents: 1000 })
  const { body } = await agency.client.create(newClient({ channels, include_credentials: true, ...overrides }))
  const { id, admin, temporary_password: password } = body.data
  return { ...agency, id: id as string, email: admin.email as string, adminId: admin.id as string, password }
}

/** The records of the events of these answers, once they have ended. */
const outcomes = (agency: TestAgency, answers: readonly Answered[]) =>
  Promise.all(answers.map(({ body }) => ended(agency, body.event_id)))

describe('writes of one sub-account at the same moment', () => {
  test('through two gateways, beside the retry of an earlier one: each happens once, in one order, and the seats add up', async () => {
    for (const faults of [0, 1, 3]) {
      const agency = await withSubAccount({ linkedin: 1 })
      const there = createAgencyClient(other.origin, agency.agencyKey, agency.token)
      const { sandbox, customerId, client, id } = agency
      await sandbox.disturb({ kind: 'lost_after', method: 'charge', customerId, times: faults })
      const first = await client.channels(id, { linkedin: 2 })
      const answers = [
        first,
        ...(await Promise.all([
          client.channels(id, { linkedin: 5 }),
          there.channels(id, { whatsapp: 2 }),
          client.remove(id),
          there.channels(id, { linkedin: 1, instagram: 1 }),
          there.remove(id),
        ])),
      ]
      const events = await outcomes(agency, answers)
      const removed = events.filter(({ action, status }) => action === 'sub_account.delete' && status === 'processed')
      expect(removed).toHaveLength(1)
      // What came after the deletion finds nothing; what came before it was done.
      for (const { status, error_code, processed_at } of events) {
        if (status === 'failed') expect(error_code).toBe('SUB_ACCOUNT_NOT_FOUND')
        else expect(processed_at <= removed[0].processed_at).toBe(true)
      }
      expect(events[0]).toMatchObject({ status: 'processed', result: { delta_channels: 1 } })
      expect(await seatsOf(service, agency)).toEqual({ paid: 0, used: 0, open: 0 })
    }
  }, 120_000)

  test('end where the last of them says, with as many seats paid for', async () => {
    const agency = await withSubAccount()
    const there = createAgencyClient(other.origin, agency.agencyKey, agency.token)
    const answers = await Promise.all(
      times(12, (n) => (n % 2 ? there : agency.client).channels(agency.id, { linkedin: n % 5, whatsapp: n % 3 })),
    )
    expect(answers.filter(({ status }) => ![200, 202].includes(status))).toEqual([])
    const events = await outcomes(agency, answers)
    expect(new Set(events.map(({ status }) => status))).not.toContain('failed')
    const { paid, used, open } = await seatsOf(service, agency)
    expect([paid, open]).toEqual([used, 0])
  }, 120_000)
})

describe('one Idempotency-Key', () => {
  test('in two gateways at once is one call, with one answer', async () => {
    const agency = await withSubAccount()
    const there = createAgencyClient(other.origin, agency.agencyKey, agency.token)
    const body = newClient({ channels: { linkedin: 1 }, include_credentials: true })
    const answers = await Promise.all(times(10, (n) => (n % 2 ? there : agency.client).create(body, key('both'))))
    expect(
      new Set(answers.map((answer) => `${told(answer)} ${answer.body.event_id} ${answer.body.data.id}`)).size,
    ).toBe(1)
    // One is told the password, and it is the one that is no repeat.
    const whole = answers.filter((answer) => 'temporary_password' in answer.body.data)
    expect(whole.map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null])
    expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true')).toHaveLength(9)
    expect(await seatsOf(service, agency)).toEqual({ paid: 1, used: 1, open: 0 })
  }, 60_000)

  test('in two gateways at once, of a call that is refused, leaves one failed event', async () => {
    const agency = await withSubAccount()
    const there = createAgencyClient(other.origin, agency.agencyKey, agency.token)
    const answers = await Promise.all(
      times(6, (n) => (n % 2 ? there : agency.client).channels(agency.id, { fax: 1 }, key('refused'))),
    )
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.error.code} ${body.event_id}`)).size).toBe(1)
  }, 60_000)

  test('is the same for PUT and POST of channels, which are one operation, and another for each other operation', async () => {
    const agency = await withSubAccount()
    const path = `/sub-accounts/${agency.id}/channels`
    const body = { channels: { linkedin: 1 } }
    const put = await agency.client.call('PUT', path, { body, headers: key('one') })
    const post = await agency.client.call('POST', path, { body, headers: key('one') })
    expect([post.status, post.body, post.headers.get('idempotent-replayed')]).toEqual([200, put.body, 'true'])
    expect(told(await agency.client.create(newClient(), key('one')))).toEqual([201, 'done'])
    expect(told(await agency.client.remove(agency.id, key('one')))).toEqual([200, 'done'])
    const stranger = await withSubAccount()
    expect(told(await stranger.client.channels(stranger.id, { linkedin: 1 }, key('one')))).toEqual([200, 'done'])
  })

  test('with anything else in it is refused, and does nothing: another body, another reference, another spelling of it', async () => {
    const agency = await withSubAccount({}, { external_ref: 'mine' })
    const second = (await agency.client.create(newClient())).body.data.id
    const path = (reference: string) => `/sub-accounts/${encodeURIComponent(reference)}/channels`
    const first = await agency.client.channels(agency.id, { linkedin: 1, whatsapp: 2 }, key('k'))
    const others = [
      await agency.client.channels(agency.id, { linkedin: 1, whatsapp: 3 }, key('k')),
      await agency.client.call('POST', path(agency.id), { body: { channels: { linkedin: 1 } }, headers: key('k') }),
      await agency.client.channels(second, { linkedin: 1, whatsapp: 2 }, key('k')),
      await agency.client.channels('ext:mine', { linkedin: 1, whatsapp: 2 }, key('k')),
      await agency.client.channels(agency.id, { fax: 1 }, key('k')),
    ]
    for (const answer of others) {
      expect([...told(answer), answer.body.event_id]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED', undefined])
    }
    // The order of members is no part of what is asked for, nor is white space.
    const body = `{ "channels" : {"whatsapp": 2.0, "linkedin": 1} }`
    const again = await agency.client.call('PUT', path(agency.id), { body, headers: key('k') })
    expect([again.status, again.body]).toEqual([200, first.body])
    expect(await seatsOf(service, agency)).toEqual({ paid: 3, used: 3, open: 0 })
  })
})

describe('the admin of a sub-account', () => {
  const login = async (email: string, password: string): Promise<string> => {
    const { body } = await createClient(service.origin).graphql(LOGIN, { email, password })
    return body.errors?.[0].extensions.code ?? 'signed in'
  }

  test('who tries to sign in while it comes to life gets in after that, and never before', async () => {
    const agency = await makeAgency(service)
    const body = newClient({ channels: { linkedin: 1 }, include_credentials: true })
    await agency.sandbox.disturb({ kind: 'slow', method: 'charge', customerId: agency.customerId, delayMs: 600 })
    let done = false
    const created = agency.client.create(body).finally(() => {
      done = true
    })
    const tries: string[] = []
    while (!done && tries.length < 3) {
      tries.push(await login(body.admin_email, 'a password that is wrong'))
      await delay(100)
    }
    expect(new Set(tries)).toEqual(new Set(['INVALID_CREDENTIALS']))
    const { temporary_password: password } = (await created).body.data
    expect(await login(body.admin_email, password)).toBe('signed in')
  }, 60_000)

  /** Signs in and chooses a password, so that everything can be done. */
  async function atWork() {
    const agency = await withSubAccount()
    const first = await signIn(service, agency.email, agency.password)
    const change = 'mutation ($a: String!, $b: String!) { changePassword(currentPassword: $a, newPassword: $b) }'
    const { body } = await first.client.graphql(change, { a: agency.password, b: CHOSEN })
    expect(body.errors).toBeUndefined()
    return { ...agency, session: await signIn(service, agency.email, CHOSEN) }
  }

  test('who changes its email while its sub-account is deleted leaves neither address taken', async () => {
    const update = 'mutation ($id: ID!, $input: UpdateUserInput!) { updateUser(id: $id, input: $input) { email } }'
    const seen = new Set<string>()
    for (const wait of [0, 0, 2, 5, 10, 20]) {
      const agency = await atWork()
      const email = `new-${agency.email}`
      const [changed, deleted] = await Promise.all([
        agency.session.client.graphql(update, { id: agency.adminId, input: { email } }),
        delay(wait).then(() => agency.client.remove(agency.id)),
      ])
      expect(told(deleted)).toEqual([200, 'done'])
      seen.add(changed.body.errors?.[0].extensions.code ?? 'changed')
      for (const address of [agency.email, email]) {
        expect(await login(address, CHOSEN)).toBe('INVALID_CREDENTIALS')
        expect(told(await agency.client.create(newClient({ admin_email: address })))).toEqual([201, 'done'])
      }
      const me = await withSession(service.origin, agency.session.token).graphql('{ me { id } }')
      expect(me.body.errors[0].extensions.code).toBe('INVALID_SESSION')
    }
    // Whichever came first, nobody met a fault of ours.
    expect([...seen].filter((code) => !['changed', 'NOT_FOUND', 'INVALID_SESSION'].includes(code))).toEqual([])
  }, 120_000)

  test('is shut out of both gateways when its sub-account is deleted through one', async () => {
    const agency = await atWork()
    const there = withSession(other.origin, agency.session.token)
    expect((await there.graphql('{ me { id } }')).body.data.me.id).toBe(agency.adminId)
    expect(told(await agency.client.remove(agency.id))).toEqual([200, 'done'])
    expect((await agency.session.client.graphql('{ me { id } }')).body.errors[0].extensions.code).toBe(
      'INVALID_SESSION',
    )
    await delay(1100)
    expect((await there.graphql('{ me { id } }')).body.errors[0].extensions.code).toBe('INVALID_SESSION')
  }, 60_000)
})
