import { randomUUID } from 'node:crypto'
import { makeCredential } from '../../src/shared/credential.js'
import { makeAgency } from '../support/agencies.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { type Answer, createClient } from '../support/client.js'
import { makeTenant } from '../support/factories.js'

const LIMIT = 5
let service: TestApp
beforeAll(async () => {
  service = await startTestApp({ trustProxy: 1, authFailureLimit: LIMIT })
})
afterAll(() => service?.stop())

let addresses = 0
/** Headers of a caller from an address of its own. */
const fromSomewhere = () => ({ 'X-Forwarded-For': `198.51.100.${++addresses}` })
const call = (key: string, headers: Record<string, string>) => createClient(service.origin, key).get('/', headers)
const unknownKey = () => makeCredential('fl_live_')

async function failOften(headers: Record<string, string>): Promise<void> {
  for (let i = 0; i < LIMIT; i++) expect((await call(unknownKey(), headers)).status).toBe(401)
}

function expectTooMany({ status, headers, body }: Answer): void {
  expect({ status, body }).toMatchObject({ status: 429, body: { error: { code: 'RATE_LIMIT_EXCEEDED' } } })
  const seconds = Number(headers.get('retry-after'))
  expect(seconds).toBeGreaterThan(0)
  expect(seconds).toBeLessThanOrEqual(600)
  expect(headers.get('x-ratelimit-limit')).toBe(String(LIMIT))
  expect(headers.get('x-ratelimit-remaining')).toBe('0')
}

test('of wrong keys from one address only so many are looked for', async () => {
  const headers = fromSomewhere()
  await failOften(headers)
  expectTooMany(await call(unknownKey(), headers))
  const { statements } = await service.statementsOf(() => call(unknownKey(), headers))
  expect(statements).toEqual([])
  expectTooMany(await call('fl_live_mistyped', headers))
  expect((await call(unknownKey(), fromSomewhere())).status).toBe(401)
})

test('a key that was good goes on to be, and a new one waits', async () => {
  const headers = fromSomewhere()
  const [known, later] = [await makeTenant(service), await makeTenant(service)]
  expect((await call(known.key, headers)).status).toBe(200)
  await failOften(headers)
  expectTooMany(await call(unknownKey(), headers))
  for (let i = 0; i < 3; i++) expect((await call(known.key, headers)).status).toBe(200)
  expectTooMany(await call(later.key, headers))
  expect((await call(later.key, fromSomewhere())).status).toBe(200)
})

test('what a caller says of its address beyond the trusted proxy does not count', async () => {
  const own = `203.0.113.9`
  for (let i = 0; i < LIMIT; i++) {
    expect((await call(unknownKey(), { 'X-Forwarded-For': `10.0.0.${i}, ${own}` })).status).toBe(401)
  }
  expectTooMany(await call(unknownKey(), { 'X-Forwarded-For': `10.0.0.99, ${own}` }))
})

test('an IPv6 address counts as its network', async () => {
  for (let i = 0; i < LIMIT; i++) {
    expect((await call(unknownKey(), { 'X-Forwarded-For': `2001:db8:1:2::${i}` })).status).toBe(401)
  }
  expectTooMany(await call(unknownKey(), { 'X-Forwarded-For': '2001:db8:1:2:ffff::1' }))
  expect((await call(unknownKey(), { 'X-Forwarded-For': '2001:db8:1:3::1' })).status).toBe(401)
})

test('no key at all is no wrong one', async () => {
  const headers = fromSomewhere()
  for (let i = 0; i < 3 * LIMIT; i++) expect((await createClient(service.origin).get('/', headers)).status).toBe(401)
  expect((await call(unknownKey(), headers)).status).toBe(401)
})

test('sessions, tokens of agencies and /graphql are counted with the rest', async () => {
  const headers = fromSomewhere()
  const { agencyKey } = await makeAgency(service)
  const graphql = (credential: string) =>
    fetch(`${service.origin}/graphql`, {
      method: 'POST',
      headers: { ...headers, Authorization: `Bearer ${credential}`, 'Content-Type': 'application/json' },
      body: '{"query":"{ me { id } }"}',
    })
  const agency = () =>
    fetch(`${service.origin}/api/webhooks/agency/${agencyKey}/events/${randomUUID()}`, {
      headers: { ...headers, Authorization: `Bearer ${makeCredential('fl_agency_')}` },
    })
  for (let i = 0; i < LIMIT; i++) {
    const answer = i % 2 ? await graphql(makeCredential('fl_session_')) : await agency()
    expect(answer.status).toBe(401)
  }
  for (const answer of [await graphql(makeCredential('fl_session_')), await agency()]) {
    expect(answer.status).toBe(429)
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  }
  expectTooMany(await call(unknownKey(), headers))
})
