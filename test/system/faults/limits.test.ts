import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { databaseFailure, param, Scope, Statement } from '../../../src/database/index.js'
import { startTestApp, type TestApp } from '../../support/app.js'
import { type BehindProxy, startBehindProxy } from '../../support/behind-proxy.js'
import { createClient } from '../../support/client.js'
import { makeKey, makeTenant, type Tenant } from '../../support/factories.js'
import { behind as behindLocks } from '../../support/holding.js'
import type { NetworkProxy } from '../../support/proxy.js'

const POOL_SIZE = 4
const STATEMENT_MS = 2000
const LOCK_MS = 500
/** The product's own bound is two seconds; a machine that is busy with other things gets ten times that. */
const RECOVERED_MS = 20_000

let proxy: NetworkProxy
let service: TestApp
let tenant: Tenant
let own: BehindProxy['own']
let direct: BehindProxy['direct']

let behind: BehindProxy
beforeAll(async () => {
  behind = await startBehindProxy({ poolSize: POOL_SIZE, statementMs: STATEMENT_MS, lockMs: LOCK_MS })
  ;({ own, proxy, service, direct } = behind)
  tenant = await makeTenant(service)
})
afterAll(() => behind?.stop())

const sleep = new Statement<never>(
  sql<never>`select pg_sleep(${param('seconds')}::float8) where ${param('account')}::uuid is not null`,
)
const scope = () => Scope.ofSystem(service.database, tenant.accountId)
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error) => databaseFailure(error)?.code,
  )

/** The backends that serve requests and do something now. */
async function busy(): Promise<number[]> {
  const { rows } = await direct.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and application_name = 'fairlead'
      and state = 'active'`,
  )
  return rows.map(({ pid }) => pid)
}

async function until(holds: () => Promise<boolean> | boolean, what: string): Promise<void> {
  for (const end = Date.now() + RECOVERED_MS; Date.now() < end; await delay(20)) if (await holds()) return
  throw new Error(`It never came to this: ${what}.`)
}

const isWell = async () => (await tenant.client.get('/tags')).status === 200

/** Fills the pool with connections that are idle. */
const warm = () => Promise.all(Array.from({ length: POOL_SIZE }, () => scope().rows(sleep, { seconds: 0.05 })))

describe('a statement that takes too long', () => {
  test('is ended by the server, and the caller may try again later', async () => {
    expect(await failureOf(scope().rows(sleep, { seconds: 600 }))).toBe('SERVICE_UNAVAILABLE')
    expect(await busy()).toEqual([])
  })

  test('and whose backend stands still costs its connection alone', async () => {
    await warm()
    const stuck = failureOf(scope().rows(sleep, { seconds: 1.5 }))
    await until(async () => (await busy()).length === 1, 'a statement runs')
    const [pid] = await busy()
    process.kill(pid!, 'SIGSTOP')
    try {
      for (let i = 0; i < 20; i++) expect(await isWell()).toBe(true)
      expect(await stuck).toBe('SERVICE_UNAVAILABLE')
      await warm()
    } finally {
      process.kill(pid!, 'SIGCONT')
    }
  })
})

describe('a database', () => {
  test('that falls silent refuses what waits and what comes, and is well when it speaks again', async () => {
    await warm()
    proxy.silence()
    proxy.deafen() // what is on its way now never arrives, nor what is sent through these connections later
    const begin = Date.now()
    const calls = Array.from({ length: 3 * POOL_SIZE }, () => tenant.client.get('/tags'))
    const statuses = (await Promise.all(calls)).map(({ status }) => status)
    expect(statuses).toEqual(calls.map(() => 503))
    expect(Date.now() - begin).toBeLessThan(10 * 6000)
    expect((await tenant.client.get('/tags')).status).toBe(503)

    await proxy.restore()
    await until(isWell, 'the service is well')
    for (let i = 0; i < 3 * POOL_SIZE; i++) expect(await isWell()).toBe(true)
  })

  test('whose idle connections were lost on the way is found well by the second round of calls', async () => {
    await warm()
    proxy.deafen()
    const first = await Promise.all(Array.from({ length: POOL_SIZE }, () => tenant.client.get('/tags')))
    for (const { status } of first) expect([200, 503]).toContain(status)
    const second = await Promise.all(Array.from({ length: 3 * POOL_SIZE }, () => tenant.client.get('/tags')))
    expect(second.map(({ status }) => status)).toEqual(second.map(() => 200))
  })
})

test.each([
  ['alone', false],
  ['while another account is at work', true],
])(
  'a lock on one table makes calls for it 503, and takes none of those that need others down: %s',
  async (_, beside) => {
    const { client } = tenant
    const other = await makeTenant(service)
    const holder = new pg.Client({ connectionString: own.url })
    await holder.connect()
    await holder.query('begin; lock table contact in access exclusive mode')
    let over = false
    const locked: number[] = []
    const paths = ['/contacts', '/contacts?search=ana', '/contacts?page=2', '/contacts?sort_by=name']
    const flood = Array.from({ length: 6 * POOL_SIZE }, async (_, i) => {
      while (!over) {
        const path = paths[i % paths.length]!
        const { status } = i % 5 ? await client.get(path) : await client.post('/contacts', { name: 'Locked' })
        if (!over) locked.push(status)
      }
    })
    const theirs: number[] = []
    const neighbour = async () => {
      while (!over && beside) theirs.push((await other.client.get('/tags')).status)
    }
    const working = neighbour()
    try {
      await until(() => locked.length > 3 * POOL_SIZE, 'calls have met the lock')
      const others: number[] = []
      for (let i = 0; i < 25; i++) {
        for (const path of ['/tags', '/pipelines', '/campaigns']) others.push((await client.get(path)).status)
      }
      expect(others).toEqual(others.map(() => 200))
      expect(new Set(locked)).toEqual(new Set([503]))
      expect(new Set(theirs)).toEqual(new Set(beside ? [200] : []))
    } finally {
      over = true
      await holder.end()
    }
    await Promise.all([working, ...flood])
    await until(async () => (await client.get('/contacts')).status === 200, 'contacts are listed again')
  },
)

describe('a caller who leaves', () => {
  /** Makes the call's statement wait, has the caller leave, and tells the backend that worked for it. */
  async function leave(init: RequestInit, path: string): Promise<number> {
    const holder = new pg.Client({ connectionString: own.url })
    await holder.connect()
    await holder.query('begin; lock table contact in access exclusive mode')
    try {
      const caller = new AbortController()
      const headers = { 'X-API-Key': key, 'Content-Type': 'application/json', ...init.headers }
      const call = fetch(patient.base + path, { ...init, headers, signal: caller.signal }).catch(() => undefined)
      // Of what an earlier test has cut off, something may run to its end meanwhile.
      let pid: number | undefined
      await until(async () => {
        pid = (await behindLocks({ pool: direct }, holder))[0]
        return pid !== undefined
      }, 'the statement waits')
      caller.abort()
      await call
      await until(async () => !(await busy()).includes(pid!), 'nothing runs for somebody who has left')
      return pid!
    } finally {
      await holder.end()
    }
  }

  // Its statements wait for as long as they like, so that nothing else ends them.
  let patient: TestApp
  let key: string
  beforeAll(async () => {
    patient = await startTestApp({ databaseUrl: own.url, statementMs: 600_000, lockMs: 600_000 })
    key = (await makeKey(patient.database, tenant.accountId)).secret
  })
  afterAll(() => patient.stop())

  test.each([
    ['a read', '/contacts', {}],
    ['a write', '/contacts', { method: 'POST', body: JSON.stringify({ name: 'Left' }) }],
    [
      'a write with a key',
      '/contacts',
      { method: 'POST', body: '{"name":"Left"}', headers: { 'Idempotency-Key': 'left' } },
    ],
  ])('has %s cancelled, and the connection serves the next', async (_, path, init) => {
    const pid = await leave(init, path)
    expect((await direct.query('select from pg_stat_activity where pid = $1', [pid])).rowCount).toBe(1)
    expect((await createClient(patient.origin, key).get('/contacts')).status).toBe(200)
    expect((await direct.query("select from contact where name = 'Left'")).rowCount).toBe(0)
  })
})

test('one key with many slow searches leaves another account its turns', async () => {
  const other = await makeTenant(service)
  const others = () => Scope.ofSystem(service.database, other.accountId)
  let done = 0
  const flood = Array.from({ length: 60 }, () =>
    scope()
      .rows(sleep, { seconds: 0.1 })
      .then(() => done++),
  )
  const seen: number[] = []
  for (let i = 0; i < 5; i++) {
    await others().rows(sleep, { seconds: 0.01 })
    seen.push(done)
  }
  await Promise.all(flood)
  // In turn after all of the sixty it would have seen them done each time.
  expect(seen.at(-1)).toBeLessThan(45)
  expect(done).toBe(60)
})
