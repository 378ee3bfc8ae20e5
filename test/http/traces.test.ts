import { randomBytes, randomUUID } from 'node:crypto'
import { assembly } from '../../src/assembly.js'
import { after, Database, defineFact, Scope } from '../../src/database/index.js'
import { describeStatement } from '../../src/database/traced.js'
import { enqueue, startJobWorker } from '../../src/domains/jobs/index.js'
import { startDelivery } from '../../src/jobs/index.js'
import { defineJob } from '../../src/kit/job.js'
import { traces } from '../../src/kit/traced.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { createClient } from '../support/client.js'
import { makeContact, makeTenant, type Tenant } from '../support/factories.js'
import { type Collector, startCollector, type ToldSpan } from '../support/otlp/collector.js'
import { startSilent } from '../support/smtp.js'

const [SERVER, CLIENT, CONSUMER] = [2, 3, 5]

let collector: Collector
let service: TestApp
let tenant: Tenant
beforeAll(async () => {
  collector = await startCollector()
  service = await startTestApp({ traces: { endpoint: collector.endpoint, share: 1, everyMs: 50 } })
  tenant = await makeTenant(service)
})
afterAll(async () => {
  await service?.stop()
  await collector?.stop()
})

const parentOf = (sampled = '01') => {
  const [traceId, parentId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')]
  return { traceId, parentId, headers: { traceparent: `00-${traceId}-${parentId}-${sampled}` } }
}

/** The span of a request, by its id; all parts of it came before. */
const spanOf = (requestId: string) =>
  collector.told(({ attributes }) => attributes['fairlead.request_id'] === requestId)
const partsOf = ({ spanId }: ToldSpan) => collector.spans.filter(({ parentId }) => parentId === spanId)

test('a request is a span of its caller’s trace, named after what it did, and each statement is a part of it', async () => {
  const parent = parentOf()
  const requestId = randomUUID()
  const headers = { ...parent.headers, 'X-Request-Id': requestId }
  const created = await tenant.client.post(
    '/contacts',
    { name: 'Quentin Secretive', email: 'quentin@example.com' },
    headers,
  )
  expect(created.status).toBe(201)
  const span = await spanOf(requestId)
  expect(span).toEqual({
    ...{ traceId: parent.traceId, parentId: parent.parentId, spanId: span.spanId },
    ...{ name: 'CreateContact', kind: SERVER, failed: false },
    attributes: {
      'http.request.method': 'POST',
      'http.response.status_code': 201,
      'fairlead.request_id': requestId,
      'fairlead.operation': 'CreateContact',
      'fairlead.account': tenant.accountId,
      'fairlead.sql_statements': expect.any(Number),
    },
  })
  const parts = partsOf(span)
  expect(parts.map(({ name }) => name)).toEqual(expect.arrayContaining(['begin', 'insert contact', 'commit']))
  for (const { traceId, kind, attributes, failed, name } of parts) {
    expect({ traceId, kind, failed }).toEqual({ traceId: parent.traceId, kind: CLIENT, failed: false })
    expect(attributes).toEqual({
      ...{ 'db.system.name': 'postgresql', 'db.query.summary': name, 'db.query.text': expect.any(String) },
    })
  }
  const line = service.logs().find((one) => one.requestId === requestId && one.msg === 'answered')
  expect(line).toMatchObject({ traceId: parent.traceId })
})

test('no value, secret or address is told', async () => {
  const contact = (await tenant.client.post('/contacts', { name: 'Zebedee', phone: '+5511987654321' })).body.data
  await tenant.client.get('/contacts?search=zebedee&email=zebedee%40example.com')
  await tenant.client.get(`/contacts/${contact.id}?api_key=${tenant.key}`)
  await tenant.client.graphql(`{ contact(id: "${contact.id}") { name notes { items { content } } } }`)
  const last = randomUUID()
  await tenant.client.get('/tags', { 'X-Request-Id': last })
  await spanOf(last)
  const told = JSON.stringify(collector.spans)
  for (const value of ['ebedee', '11987654321', contact.id, tenant.key, 'Secretive']) expect(told).not.toContain(value)
  // The account is told with the request, and is in no statement.
  for (const { name, kind, attributes } of collector.spans) {
    if (kind === CLIENT)
      expect([name, JSON.stringify(attributes)]).toEqual([name, expect.not.stringContaining(tenant.accountId)])
  }
})

test('requests at once have the statements of their own', async () => {
  const asked = Array.from({ length: 30 }, () => randomUUID())
  await Promise.all(
    asked.map((id, i) =>
      i % 2
        ? tenant.client.get('/contacts', { 'X-Request-Id': id })
        : tenant.client.get('/tags', { 'X-Request-Id': id }),
    ),
  )
  for (const [i, id] of asked.entries()) {
    const parts = partsOf(await spanOf(id))
    const texts = parts.map(({ attributes }) => String(attributes['db.query.text']))
    const [mine, others] = i % 2 ? [/from "?contact"?/, /from "?tag"?/] : [/from "?tag"?/, /from "?contact"?/]
    expect(texts.filter((text) => mine.test(text)).length).toBeGreaterThan(0)
    expect(i % 2 ? [] : texts.filter((text) => others.test(text))).toEqual([])
  }
})

test('/graphql is named after its first field, what was not let in after its method, and a fault of ours is a failure', async () => {
  const [named, refused, failed] = [randomUUID(), randomUUID(), randomUUID()]
  const graphql = JSON.stringify({ query: '{ tags { pagination { total } } }' })
  const ask = (requestId: string, key: string) =>
    fetch(`${service.origin}/graphql`, {
      method: 'POST',
      headers: { 'X-API-Key': key, 'Content-Type': 'application/json', 'X-Request-Id': requestId },
      body: graphql,
    })
  await ask(named, tenant.key)
  await createClient(service.origin, 'fl_live_wrong').get('/contacts', { 'X-Request-Id': refused })
  expect(await spanOf(named)).toMatchObject({ name: 'tags', failed: false })
  expect(await spanOf(refused)).toMatchObject({
    ...{ name: 'GET', failed: false },
    attributes: { 'http.response.status_code': 401 },
  })
  const { pool } = service.database
  await pool.query('alter table tag rename to tag_away')
  try {
    expect((await tenant.client.get('/tags', { 'X-Request-Id': failed })).status).toBe(500)
  } finally {
    await pool.query('alter table tag_away rename to tag')
  }
  const span = await spanOf(failed)
  expect(span).toMatchObject({ name: 'ListTags', failed: true, attributes: { 'error.type': '500' } })
  expect(partsOf(span).filter((part) => part.failed)).toMatchObject([{ attributes: { 'error.type': '42P01' } }])
})

test('a caller whose trace is not told has none of it told', async () => {
  const [silent, told] = [parentOf('00'), randomUUID()]
  await tenant.client.get('/contacts', silent.headers)
  await tenant.client.get('/contacts', { 'X-Request-Id': told })
  await spanOf(told)
  expect(collector.spans.filter(({ traceId }) => traceId === silent.traceId)).toEqual([])
})

test('a job is a trace of its own', async () => {
  const { database } = service
  const job = defineJob<{ contact: string }>('count-traced', async (db) => {
    await db.transaction(() => Promise.resolve())
  })
  const failing = defineJob<{ contact: string }>('fail-traced', () => Promise.reject(new RangeError('no')))
  const log = () => {}
  const worker = startJobWorker({ database, jobs: [job, failing], log, pollMs: 20 })
  try {
    const contact = await makeContact(database, tenant.accountId)
    const db = Scope.ofSystem(database, tenant.accountId)
    await db.transaction(async () => {
      for (const one of [job, failing]) enqueue(db, one, { contact: contact.id })
    })
    const done = await collector.told(({ name }) => name === 'job count-traced')
    expect(done).toMatchObject({ kind: CONSUMER, failed: false, parentId: undefined })
    expect(done.attributes).toEqual({ 'fairlead.operation': 'job count-traced', 'fairlead.account': tenant.accountId })
    expect(partsOf(done).map(({ name }) => name)).toEqual(expect.arrayContaining(['begin', 'commit']))
    const failed = await collector.told(({ name }) => name === 'job fail-traced')
    expect(failed).toMatchObject({ failed: true, attributes: { 'error.type': 'RangeError' } })
  } finally {
    await worker.stop()
  }
})

test('a domain that hears of a fact after the commit does so in a trace of its own', async () => {
  const happened = defineFact<{ thingId: string }>('happened-traced', 'thingId')
  const subscribers = [{ ...after(happened, () => {}), domain: 'upper' }]
  const options = { url: service.databaseUrl, entities: assembly.entities, poolSize: 4, acquireTimeoutMs: 5000 }
  const database = await Database.open({ ...options, subscribers, rowSecurity: true, log: () => {} })
  database.needs.provide(traces, service.database.needs.get(traces))
  const delivery = startDelivery({ database, log: () => {}, poll: 20 })
  try {
    const db = Scope.ofSystem(database, tenant.accountId)
    await db.transaction(() => db.announce(happened, { thingId: randomUUID() }))
    const heard = await collector.told(({ name }) => name === 'upper hears happened-traced')
    expect(heard).toMatchObject({ kind: CONSUMER, attributes: { 'fairlead.account': tenant.accountId } })
    expect(partsOf(heard).map(({ name }) => name)).toContain('delete outbox')
  } finally {
    await delivery.stop()
    await database.close()
  }
})

test('the collector hears who tells', () => {
  expect(collector.resource).toMatchObject({ 'service.name': 'fairlead', 'service.version': expect.any(String) })
})

const complaints = (own: TestApp) => own.logs().filter(({ msg }) => /^Traces cannot be told/.test(String(msg)))

test.each([
  ['that cannot be reached', false],
  ['that takes connections and says nothing', true],
])('a collector %s costs no request anything, and is told of once', async (_, listens) => {
  const dumb = await startSilent()
  if (!listens) await dumb.stop()
  const endpoint = `http://127.0.0.1:${dumb.port}`
  const own = await startTestApp({ traces: { endpoint, share: 1, everyMs: 50 } }, undefined, service)
  try {
    const { client } = await makeTenant(own)
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => client.get('/contacts')))
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    }
    for (let i = 0; i < 500 && !complaints(own).length; i++) await new Promise((resolve) => setTimeout(resolve, 20))
    await client.get('/contacts')
    await new Promise((resolve) => setTimeout(resolve, 1500)) // another portion comes to nothing
    expect(complaints(own)).toHaveLength(1)
    expect(own.logs().filter(({ level }) => level === 'error')).toEqual([])
  } finally {
    await own.stop()
    if (listens) await dumb.stop()
  }
})

test.each([
  ['select * from contact where id = $1', 'select contact'],
  [`with m as materialized (select id from contact where name = 'Ana') select count(*) from m`, 'select contact'],
  ['select (select count(*) from tag) from contact c', 'select contact'],
  ['with a as (select id from job for update skip locked) update job j set x = 1 from a', 'update job'],
  [
    'with new as (insert into "contact" values (1) on conflict do update set x = 1 returning *) select * from new',
    'insert contact',
  ],
  ['insert into "contact" ("name") values ($1)', 'insert contact'],
  ['update only tag set name = $1', 'update tag'],
  ['begin', 'begin'],
  ['(select 1)', 'select'],
])('%s is called %s', (text, summary) => {
  expect(describeStatement(text).summary).toBe(summary)
})

test('the text of a statement is told without what stands in it', () => {
  const text = `select $1, 'it''s', E'a\\'b', $x$ body $x$, 12.5, t2.c3, null from t2 where n > 7 and s = ''`
  expect(describeStatement(text).text).toBe('select $1, ?, ?, ?, ?, t2.c3, null from t2 where n > ? and s = ?')
})
