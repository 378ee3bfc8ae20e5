import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { startTestApp, type TestApp } from '../support/app.js'
import { createClient } from '../support/client.js'
import { makeKey, makeTenant } from '../support/factories.js'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service?.stop())

const scrape = async (origin = service.origin, headers: Record<string, string> = {}) => {
  const response = await fetch(`${origin}/metrics`, { headers })
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
}

/** The value of a figure whose labels include these; undefined where there is none. */
function figure(text: string, name: string, labels: Record<string, string> = {}): number | undefined {
  const line = text.split('\n').find((one) => {
    const [, found, own = ''] = /^(\w+)(?:\{(.*)\})? /.exec(one) ?? []
    return found === name && Object.entries(labels).every(([label, value]) => own.includes(`${label}="${value}"`))
  })
  return line === undefined ? undefined : Number(line.split(' ').at(-1))
}

const COUNT = 'fairlead_request_duration_seconds_count'

test('requests are measured by what they did and how they ended, and no label is of a caller’s choosing', async () => {
  const { client, accountId, keyId } = await makeTenant(service)
  const contact = (await client.post('/contacts', { name: 'Ana' })).body.data
  await client.get('/contacts')
  await client.get('/contacts?limit=many')
  await client.get(`/contacts/${contact.id}`)
  await client.graphql('query Mine { session { account { id } } }')
  await client.graphql(`{ ${'x'.repeat(50)} }`)
  for (const path of ['/nothing', `/nothing/${randomUUID()}`]) await client.get(path)
  await createClient(service.origin, 'fl_live_wrong').get('/contacts')

  const { status, type, text } = await scrape()
  expect({ status, type }).toEqual({ status: 200, type: expect.stringContaining('text/plain; version=0.0.4') })
  const counts = (operation: string, code: string) => figure(text, COUNT, { operation, status: code })
  expect(counts('CreateContact', '201')).toBe(1)
  expect(counts('ListContacts', '200')).toBe(1)
  expect(counts('ListContacts', '400')).toBe(1)
  expect(counts('GetContact', '200')).toBe(1)
  expect(counts('session', '200')).toBe(1)
  expect(counts('none', '404')).toBe(2)
  expect(counts('none', '401')).toBe(1)
  for (const own of [contact.id, accountId, keyId, 'Mine', 'nothing', 'xxxxx']) expect(text).not.toContain(own)
})

test('allowances, repeats, statements and connections are measured', async () => {
  const { accountId, client } = await makeTenant(service)
  const before = await scrape()
  const { secret } = await makeKey(service.database, accountId, { rateLimit: 1 })
  for (let i = 0; i < 3; i++) await createClient(service.origin, secret).get('/')
  const key = { 'Idempotency-Key': randomUUID() }
  for (const name of ['Ana', 'Ana', 'Bia']) await client.post('/contacts', { name }, key)
  const { text } = await scrape()
  const grown = (name: string, labels = {}) => figure(text, name, labels)! - (figure(before.text, name, labels) ?? 0)
  expect(grown('fairlead_rate_limited_total', { outcome: 'refused' })).toBe(2)
  expect(grown('fairlead_rate_limited_total', { outcome: 'passed' })).toBe(4)
  for (const outcome of ['fresh', 'replayed', 'reused']) {
    expect(grown('fairlead_idempotent_calls_total', { outcome })).toBe(1)
  }
  expect(grown('fairlead_sql_statements_total')).toBeGreaterThan(5)
  expect(figure(text, 'fairlead_rate_limit_store_up')).toBe(1)
  expect(figure(text, 'fairlead_pool_connections_most')).toBe(service.database.requests.pool.options.max)
  expect(figure(text, 'fairlead_pool_waiting')).toBe(0)
  expect(figure(text, 'fairlead_reads_waiting')).toBe(0)
  expect(figure(text, 'fairlead_database_silent')).toBe(0)
  expect(figure(text, 'process_resident_memory_bytes')).toBeGreaterThan(10_000_000)
  expect(figure(text, 'nodejs_eventloop_lag_seconds', { quantile: '0.99' })).toBeGreaterThanOrEqual(0)
})

test('what waits is measured by queue, and for how long it is due', async () => {
  const own = await startTestApp()
  try {
    const { accountId } = await makeTenant(own)
    const { pool } = own.database
    const job = `insert into job (account_id, id, name, ids, due_at) values ($1, gen_random_uuid(), 'x', '{}', now() + $2)`
    for (const due of ['-1 hour', '-1 minute', '1 hour']) await pool.query(job, [accountId, due])
    await pool.query(
      `insert into failed_job (account_id, id, name, ids, attempts, error, failed_at, created_at)
        values ($1, gen_random_uuid(), 'x', '{}', 5, 'no', now() - interval '2 hours', now())`,
      [accountId],
    )
    await pool.query(`insert into billing_comparison values
      (2, 1, 0, now(), now() - interval '1 hour'), (62, 3, 1, now(), now() - interval '5 hours')`)
    const { text } = await scrape(own.origin)
    const entries = (queue: string, state: string) => figure(text, 'fairlead_queue_entries', { queue, state })
    const age = (queue: string, state: string) => figure(text, 'fairlead_queue_age_seconds', { queue, state })
    expect([entries('jobs', 'due'), entries('jobs', 'later'), entries('failed_jobs', 'failed')]).toEqual([2, 1, 1])
    expect(age('jobs', 'due')).toBeGreaterThanOrEqual(3600)
    expect(age('jobs', 'later')).toBe(0)
    expect(age('failed_jobs', 'failed')).toBeGreaterThanOrEqual(7200)
    expect([entries('billing_differences', 'differs'), entries('billing_differences', 'not_compared')]).toEqual([3, 1])
    expect(age('billing_differences', 'differs')).toBeGreaterThanOrEqual(5 * 3600)
    // Only the recurring jobs cannot be seen, before any worker has made their table.
    expect(figure(text, 'fairlead_queues_unseen')).toBe(1)
  } finally {
    await own.stop()
  }
})

test('METRICS_TOKEN keeps the figures from who does not know it, METRICS_PORT from the other port', async () => {
  const own = await startTestApp({ metricsToken: 'only for Prometheus' }, undefined, service)
  const apart = await startTestApp({ metricsToken: 'only for Prometheus', metricsPort: 0 }, undefined, service)
  const right = { Authorization: 'Bearer only for Prometheus' }
  try {
    expect((await scrape(own.origin)).status).toBe(401)
    expect((await scrape(own.origin, { Authorization: 'Bearer guessed' })).status).toBe(401)
    expect((await scrape(own.origin, right)).status).toBe(200)
    expect((await scrape(apart.origin, right)).status).toBe(404)
    const origin = `http://127.0.0.1:${apart.app.metricsPort}`
    expect((await scrape(origin)).status).toBe(401)
    const { status, text } = await scrape(origin, right)
    expect({ status, text }).toEqual({ status: 200, text: expect.stringContaining(COUNT.replace(/_count$/, '')) })
    expect((await fetch(`${origin}/external/v1/`, { headers: right })).status).toBe(404)
  } finally {
    await own.stop()
    await apart.stop()
  }
})

test('each figure that the dashboard and the rules name is there', async () => {
  const { text } = await scrape()
  const known = new Set([...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name))
  for (const file of ['alerts.yml', 'dashboard.json']) {
    const named = readFileSync(new URL(`../../docs/monitoring/${file}`, import.meta.url), 'utf8')
    const names = new Set(named.match(/\b(fairlead|process|nodejs)_\w+/g))
    expect(names.size).toBeGreaterThan(7)
    expect(
      [...names].filter((name) => !known.has(name.replace(/_(bucket|count|sum)$/, '')) && !known.has(name)),
    ).toEqual([])
  }
})

test('a line of the log tells what a request did, for which account, how long that took and with how many statements', async () => {
  const { client, accountId } = await makeTenant(service)
  const { headers } = await client.post('/contacts', { name: 'Ana' })
  const requestId = headers.get('x-request-id')
  const lineOf = () => service.logs().find((line) => line.requestId === requestId && line.msg === 'answered')
  for (let i = 0; i < 500 && !lineOf(); i++) await new Promise((resolve) => setTimeout(resolve, 10))
  expect(lineOf()).toMatchObject({
    ...{ method: 'POST', url: '/external/v1/contacts', status: 201 },
    ...{ operation: 'CreateContact', account: accountId, ms: expect.any(Number) },
  })
  expect(lineOf()!.statements).toBeGreaterThanOrEqual(3)
  const asked = await client.graphql('{ session { account { id } } }')
  const graphqlId = asked.headers.get('x-request-id')
  const asking = () => service.logs().find((line) => line.requestId === graphqlId && line.msg === 'answered')
  for (let i = 0; i < 500 && !asking(); i++) await new Promise((resolve) => setTimeout(resolve, 10))
  expect(asking()).toMatchObject({ operation: 'session', account: accountId, statements: expect.any(Number) })
})
