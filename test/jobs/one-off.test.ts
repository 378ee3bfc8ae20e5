import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { assembly } from '../../src/assembly.js'
import { Database, Scope } from '../../src/database/index.js'
import { enqueue, type JobWorkerOptions, startJobWorker } from '../../src/domains/jobs/index.js'
import { defineJob, type OneOffJob } from '../../src/kit/job.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { makeTenant } from '../support/factories.js'
import { dataOf } from '../support/graphql.js'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
  await query('truncate job, failed_job')
})

type Ids = { thingId: string | null }
type Shown = { id: string; ids: Ids }
const QUICK = { pollMs: 20, leaseMs: 1000, pauseMs: 1, limitMs: 20_000 }
const query = async (text: string, values: unknown[] = []) => (await service.database.pool.query(text, values)).rows
const waiting = async () => (await query('select count(*)::int as n from job'))[0].n as number
const failed = () => query('select name, ids, attempts, error from failed_job')

/** A process's own database; with row level security, as a service has it. */
async function process(): Promise<Database> {
  const options = { url: service.databaseUrl, entities: assembly.entities, poolSize: 6, acquireTimeoutMs: 5000 }
  const database = await Database.open({ ...options, rowSecurity: true, log: () => {} })
  open.push({ close: () => database.close() })
  return database
}

/** A worker of a process that knows these jobs, and what it logs. */
function work(database: Database, jobs: OneOffJob<Ids>[], options: Partial<JobWorkerOptions> = {}) {
  const logged: unknown[] = []
  const worker = startJobWorker({
    database,
    jobs: jobs as unknown as OneOffJob[],
    log: (error) => logged.push(error),
    ...QUICK,
    ...options,
  })
  open.unshift({ close: worker.stop })
  return { ...worker, logged }
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 20_000; !(await holds()); await delay(10)) {
    if (Date.now() > deadline) throw new Error('it does not come about')
  }
}

const scopeOn = async (database: Database) => Scope.ofSystem(database, (await makeTenant(service)).accountId)
const ask = (db: Scope, job: OneOffJob<Ids>, thingId: string | null = randomUUID(), afterSeconds = 0) =>
  db.transaction(async () => enqueue(db, job, { thingId }, { afterSeconds }))

test('a job is done after the commit, as the service in the account, once, and without a trip of its own', async () => {
  const seen: unknown[] = []
  const job = defineJob<Ids>('look', async (db, ids) => void seen.push([db.accountId, db.viewer.actor.kind, ids]))
  const database = await process()
  const db = await scopeOn(database)
  const texts: string[] = []
  database.listen((text) => texts.push(text))
  const thingId = randomUUID()
  await ask(db, job, thingId)
  database.listen(undefined)
  expect(texts.map((text) => text.split(' ')[0])).toEqual(['begin', 'insert', 'commit'])
  work(database, [job])
  await until(async () => (await waiting()) === 0)
  expect(seen).toEqual([[db.accountId, 'system', { thingId }]])
})

test('a transaction that is rolled back asks for nothing, and outside of one nothing can be asked for', async () => {
  const job = defineJob<Ids>('never', () => Promise.reject(new Error('done')))
  const db = await scopeOn(await process())
  const failing = db.transaction(async () => {
    enqueue(db, job, { thingId: null })
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(() => enqueue(db, job, { thingId: null })).toThrow('only an open transaction')
  expect(await waiting()).toBe(0)
})

test('nothing but ids goes into a job', async () => {
  const job = defineJob<Ids>('look', async () => {})
  const db = await scopeOn(await process())
  await expect(ask(db, job, 'ana@example.com')).rejects.toThrow('takes ids alone, and thingId is none')
  expect(await waiting()).toBe(0)
})

test('a worker in the same process is woken by the commit; a job for later is not done before', async () => {
  const seen: (string | null)[] = []
  const job = defineJob<Ids>('look', async (_, { thingId }) => void seen.push(thingId))
  const database = await process()
  work(database, [job], { pollMs: 3_600_000 })
  await delay(100) // its first look is over
  const db = await scopeOn(database)
  const [now, later] = [randomUUID(), randomUUID()]
  await ask(db, job, later, 3600)
  await ask(db, job, now)
  await until(() => seen.length === 1)
  expect(seen).toEqual([now])
  const [{ wait }] = await query('select extract(epoch from due_at - now())::float8 as wait from job')
  expect(wait).toBeGreaterThan(3500)
})

test('several workers share the work: each job is done once, and nobody waits for all that another account wants', async () => {
  const done: string[] = []
  const job = defineJob<Ids>('look', async (db, { thingId }) => {
    await delay(Math.random() * 4)
    done.push(`${db.accountId} ${thingId}`)
  })
  const databases = [await process(), await process(), await process()]
  const [greedy, modest] = [await scopeOn(databases[0]!), await scopeOn(databases[1]!)]
  await greedy.transaction(async () => {
    for (let i = 0; i < 300; i++) enqueue(greedy, job, { thingId: randomUUID() })
  })
  await ask(modest, job)
  const workers = databases.map((database) => work(database, [job], { leaseMs: 30_000 }))
  await until(async () => (await waiting()) === 0)
  expect(new Set(done).size).toBe(done.length)
  expect(done).toHaveLength(301)
  expect(done.findIndex((one) => one.startsWith(modest.accountId))).toBeLessThan(150)
  expect(workers.flatMap(({ logged }) => logged)).toEqual([])
})

test('one that fails is tried five times and then kept without its message; others are not held up', async () => {
  let tries = 0
  const bad = defineJob<Ids>('bad', async () => {
    tries++
    throw new TypeError('cannot with ana@example.com')
  })
  const good = defineJob<Ids>('good', async () => {})
  const database = await process()
  const { logged } = work(database, [bad, good])
  const db = await scopeOn(database)
  const thingId = randomUUID()
  await ask(db, bad, thingId)
  await ask(db, good)
  await until(async () => (await failed()).length === 1 && (await waiting()) === 0)
  expect(await failed()).toEqual([{ name: 'bad', ids: { thingId }, attempts: 5, error: 'TypeError' }])
  expect([tries, logged.length]).toEqual([5, 5])
})

test.each([
  { begun: 0, least: 7, most: 13 },
  { begun: 1, least: 29, most: 51 },
  { begun: 3, least: 470, most: 810 },
])('after $begun earlier failures the next attempt is $least to $most seconds away', async ({ begun, least, most }) => {
  const job = defineJob<Ids>('bad', () => Promise.reject(new Error('no')))
  const database = await process()
  await ask(await scopeOn(database), job)
  await query('update job set attempts = $1', [begun])
  const { logged, stop } = work(database, [job], { pauseMs: 10_000 })
  await until(() => logged.length === 1)
  await stop()
  const [{ wait }] = await query('select extract(epoch from due_at - now())::float8 as wait from job')
  expect(wait).toBeGreaterThan(least)
  expect(wait).toBeLessThan(most)
})

test('what a process had begun when it died is done by another, but not for ever', async () => {
  let done = 0
  const job = defineJob<Ids>('look', async () => void done++)
  const database = await process()
  const db = await scopeOn(database)
  const [lives, kills] = [randomUUID(), randomUUID()]
  await ask(db, job, lives)
  await ask(db, job, kills)
  await query(
    `update job set attempts = case when ids ->> 'thingId' = $1 then 5 else 1 end,
       due_at = now() + interval '300 milliseconds'`,
    [kills],
  )
  work(database, [job])
  await until(async () => (await waiting()) === 0)
  expect(done).toBe(1)
  expect(await failed()).toEqual([{ name: 'look', ids: { thingId: kills }, attempts: 5, error: 'Interrupted' }])
})

test('one that takes long is not begun by another meanwhile; one that takes too long has failed', async () => {
  let begun = 0
  const long = defineJob<Ids>('long', async () => {
    begun++
    await delay(4000)
  })
  let signalled = 0
  const endless = defineJob<Ids>('endless', (_, __, signal) => {
    signal.addEventListener('abort', () => void signalled++)
    return new Promise(() => {})
  })
  const [one, other] = [await process(), await process()]
  // A lease that a busy machine keeps as well.
  for (const database of [one, other]) work(database, [long, endless], { leaseMs: 3000, limitMs: 6000 })
  const db = await scopeOn(one)
  await ask(db, long)
  await until(async () => begun > 0 && (await waiting()) === 0)
  expect(begun).toBe(1)
  await ask(db, endless, null, 60) // or it could be begun before it is at its last attempt
  await query('update job set attempts = 4, due_at = now()')
  await until(async () => (await failed()).length === 1)
  expect(await failed()).toMatchObject([{ name: 'endless', attempts: 5, error: 'TimeOut' }])
  expect(signalled).toBe(1)
})

test('a worker that stops takes nothing more and lets what runs finish', async () => {
  let done = 0
  const job = defineJob<Ids>('long', async () => {
    await delay(400)
    done++
  })
  const database = await process()
  const db = await scopeOn(database)
  for (let i = 0; i < 5; i++) await ask(db, job)
  const worker = work(database, [job])
  await until(async () => (await query('select from job where attempts > 0')).length === 3)
  await worker.stop()
  expect(done).toBe(3)
  expect(await query('select attempts from job')).toEqual([{ attempts: 0 }, { attempts: 0 }])
})

test('a worker leaves jobs that it does not know to those who do', async () => {
  const [older, newer] = [defineJob<Ids>('older', async () => {}), defineJob<Ids>('newer', async () => {})]
  const database = await process()
  const db = await scopeOn(database)
  await ask(db, newer)
  await ask(db, older)
  work(database, [older])
  await until(async () => (await waiting()) === 1)
  expect(await query('select name, attempts from job')).toEqual([{ name: 'newer', attempts: 0 }])
})

test('admins see what failed for good, have it done again or let go of it; nobody else can', async () => {
  let broken = true
  const seen: (string | null)[] = []
  const job = defineJob<Ids>('look', async (_, { thingId }) => {
    if (broken) throw new RangeError('no')
    seen.push(thingId)
  })
  const { database } = service
  const { client, accountId } = await makeTenant(service)
  const db = Scope.ofSystem(database, accountId)
  const [again, never] = [randomUUID(), randomUUID()]
  const worker = work(database, [job])
  await ask(db, job, again)
  await ask(db, job, never)
  await until(async () => (await failed()).length === 2)
  const list = '{ done: failedJobs { items { id name ids attempts error failedAt createdAt } pagination { total } } }'
  const { items, pagination } = dataOf(await client.graphql(list)) as { items: Shown[]; pagination: object }
  expect(pagination).toEqual({ total: 2 })
  expect(items).toContainEqual({
    ...{ id: expect.any(String), name: 'look', ids: { thingId: again }, attempts: 5, error: 'RangeError' },
    ...{ failedAt: expect.any(String), createdAt: expect.any(String) },
  })
  const idOf = (thingId: string) => items.find(({ ids }) => ids.thingId === thingId)!.id

  const stranger = await makeTenant(service)
  const retry = 'mutation ($id: ID!) { done: retryFailedJob(id: $id) { id name } }'
  const dismiss = 'mutation ($id: ID!) { done: dismissFailedJob(id: $id) { id deleted } }'
  for (const text of [retry, dismiss]) {
    for (const id of [idOf(again), 'no-uuid']) {
      const { body } = await stranger.client.graphql(text, { id })
      expect(body.errors[0].extensions.code).toBe('NOT_FOUND')
    }
  }
  const seller = await makeTenant(service, { permissions: ['contacts:*', 'opportunities:*', 'mail:*', 'flows:*'] })
  expect((await seller.client.graphql(list)).body.errors[0].extensions.code).toBe('INSUFFICIENT_PERMISSIONS')

  broken = false
  expect(dataOf(await client.graphql(retry, { id: idOf(again) }))).toEqual({ id: idOf(again), name: 'look' })
  expect(dataOf(await client.graphql(dismiss, { id: idOf(never) }))).toEqual({ id: idOf(never), deleted: true })
  await until(() => seen.length > 0)
  await until(async () => (await waiting()) === 0)
  expect([seen, await failed()]).toEqual([[again], []])
  await worker.stop()
})
