import { makeAgency, newClient } from '../support/agencies.js'
import { startTestApp, type TestApp } from '../support/app.js'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

interface Answered {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any
}
const counted = (answers: readonly Answered[]) => {
  const counts: Record<string, number> = {}
  for (const { status, body } of answers) {
    const name = `${status} ${body.error?.code ?? ''}`.trim()
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}
const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n))

test.each([
  ['without channels', {}],
  ['with channels', { linkedin: 1 }],
])(
  'of forty creations %s that arrive together exactly five happen',
  async (_, channels) => {
    const { client } = await makeAgency(service, { seatPriceCents: 1000 })
    const answers = await Promise.all(times(40, () => client.create(newClient({ name: 'The same', channels }))))
    expect(counted(answers)).toEqual({ '201': 5, '429 RATE_LIMIT_SUBACCOUNT_CREATE': 35 })
    const slugs = answers.filter(({ status }) => status === 201).map(({ body }) => body.data.slug)
    expect(new Set(slugs).size).toBe(5)
    for (const { headers } of answers.filter(({ status }) => status === 429)) {
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(3600)
    }
  },
  60_000,
)

test('of agencies that create at once with one name each gets a slug of its own', async () => {
  const agencies = await Promise.all(times(8, () => makeAgency(service)))
  const answers = await Promise.all(agencies.map(({ client }) => client.create(newClient({ name: 'Ça & là' }))))
  expect(counted(answers)).toEqual({ '201': 8 })
  const slugs = answers.map(({ body }) => body.data.slug as string).sort()
  expect(slugs).toEqual(['ca-la', ...times(7, (n) => `ca-la-${n + 2}`)].sort())
}, 60_000)

test('one address is given once, by whichever agencies at the same moment', async () => {
  const agencies = await Promise.all(times(6, () => makeAgency(service)))
  const body = newClient({ channels: { linkedin: 1 } })
  const answers = await Promise.all(agencies.map(({ client }) => client.create(body)))
  expect(counted(answers)).toEqual({ '201': 1, '409 EMAIL_ALREADY_REGISTERED': 5 })
}, 60_000)

test('one reference is given once within an agency', async () => {
  const { client } = await makeAgency(service)
  const answers = await Promise.all(times(4, () => client.create(newClient({ external_ref: 'one' }))))
  expect(counted(answers)).toEqual({ '201': 1, '409 EXTERNAL_REF_ALREADY_USED': 3 })
}, 60_000)

test('a call that came too often can be repeated with its key', async () => {
  const { client, agencyId } = await makeAgency(service)
  for (const _ of times(5, (n) => n)) await client.create(newClient())
  const body = newClient()
  const key = { 'Idempotency-Key': 'later' }
  expect(counted([await client.create(body, key)])).toEqual({ '429 RATE_LIMIT_SUBACCOUNT_CREATE': 1 })
  const old = "update sub_account set created_at = created_at - interval '1 hour' where agency_id = $1"
  await service.database.pool.query(old, [agencyId])
  const later = await client.create(body, key)
  expect([later.status, later.headers.get('idempotent-replayed')]).toEqual([201, null])
}, 60_000)
