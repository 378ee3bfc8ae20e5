import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { assembly } from '../../../src/assembly.js'
import { Database, databaseFailure, RunAgain, Scope } from '../../../src/database/index.js'
import type { TestApp } from '../../support/app.js'
import { type BehindProxy, startBehindProxy } from '../../support/behind-proxy.js'
import type { Answer } from '../../support/client.js'
import { makeContact, makeTag, makeTenant, type Tenant } from '../../support/factories.js'
import type { NetworkProxy } from '../../support/proxy.js'

const POOL_SIZE = 2
const WAIT_MS = 300
const OPTIONS = { entities: assembly.entities, poolSize: POOL_SIZE, acquireTimeoutMs: 5000, log: () => {} }

let proxy: NetworkProxy
let service: TestApp
let tenant: Tenant
let own: BehindProxy['own']
let direct: BehindProxy['direct']

let behind: BehindProxy
beforeAll(async () => {
  behind = await startBehindProxy({ poolSize: POOL_SIZE, acquireTimeoutMs: WAIT_MS })
  ;({ own, proxy, service, direct } = behind)
  tenant = await makeTenant(service)
})
afterAll(() => behind?.stop())

function expectUnavailable({ status, headers, body }: Answer): void {
  expect({ status, body }).toMatchObject({ status: 503, body: { success: false } })
  expect(body.error).toEqual({
    code: 'SERVICE_UNAVAILABLE',
    message: expect.any(String),
    retry_after: expect.any(Number),
    request_id: headers.get('x-request-id'),
  })
  expect(Number(headers.get('retry-after'))).toBe(body.error.retry_after)
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
}

/** Holds a lock that every write of a contact waits for, while the work runs. */
async function whileWritesWait<T>(work: () => Promise<T>): Promise<T> {
  const holder = new pg.Client({ connectionString: own.url })
  await holder.connect()
  await holder.query('begin; lock table contact in share mode')
  try {
    return await work()
  } finally {
    await holder.end()
  }
}

/** The backends of the service that wait for a lock, when there are so many. */
async function waiting(count: number): Promise<number[]> {
  for (const end = Date.now() + 20_000; Date.now() < end; await delay(10)) {
    const { rows } = await direct.query<{ pid: number }>(
      `select pid from pg_stat_activity
        where datname = current_database() and application_name = 'fairlead' and wait_event_type = 'Lock'`,
    )
    if (rows.length === count) return rows.map(({ pid }) => pid)
  }
  throw new Error(`There were never ${count} connections waiting for a lock.`)
}

/** Until the service has seen that its connections are gone; a call before that would be the first to see it. */
async function noticed(): Promise<void> {
  for (const end = Date.now() + 10_000; Date.now() < end; await delay(10)) {
    if (service.database.requests.pool.totalCount === 0) return
  }
  throw new Error('The pool still holds connections.')
}

async function countOf(table: string, condition = 'true'): Promise<number> {
  const { rows } = await direct.query<{ count: number }>(
    `select count(*)::int as count from ${table} where account_id = $1 and ${condition}`,
    [tenant.accountId],
  )
  return rows[0]!.count
}

const probe = async (path: '/healthz' | '/readyz') => {
  const response = await fetch(service.origin + path)
  return [response.status, await response.json()]
}

describe('a database that is away', () => {
  test('makes every call 503 with Retry-After and /readyz too, and all is well when it is back', async () => {
    const { client } = tenant
    expect((await client.get('/contacts')).status).toBe(200)
    expect(await probe('/readyz')).toEqual([200, { status: 'ready' }])
    await proxy.cut()
    try {
      // The key is still believed for a moment, then its own look-up fails: both ways end the same.
      for (const pause of [0, 900]) {
        await delay(pause)
        expectUnavailable(await client.get('/contacts'))
        expectUnavailable(await client.post('/contacts', { name: 'Nobody' }))
        expectUnavailable(await client.post('/contacts', { name: 'Nobody' }, { 'Idempotency-Key': 'away' }))
      }
      const graphql = await client.graphql('{ tags { pagination { total } } }')
      // Either before the key is known or with what it asks for, by the time that has passed.
      expect([200, 503]).toContain(graphql.status)
      expect(graphql.body.errors[0].extensions.code).toBe('SERVICE_UNAVAILABLE')
      expect(await probe('/readyz')).toEqual([503, { status: 'no database' }])
      expect(await probe('/healthz')).toEqual([200, { status: 'ok' }])
    } finally {
      await proxy.restore()
    }
    expect((await client.get('/contacts')).status).toBe(200)
    expect(await probe('/readyz')).toEqual([200, { status: 'ready' }])
    const created = await client.post('/contacts', { name: 'Back' }, { 'Idempotency-Key': 'away' })
    expect(created.status).toBe(201)
    expect(created.headers.get('idempotent-replayed')).toBeNull()
    expect(await countOf('contact', "name = 'Nobody'")).toBe(0)
  })

  test('in the middle of writes, more often than there are connections, costs none of them for good', async () => {
    const { client } = tenant
    for (let round = 0; round < 2 * POOL_SIZE; round++) {
      const answers = await whileWritesWait(async () => {
        const calls = [1, 2].map((n) => client.post('/contacts', { name: `Cut ${n}` }))
        await waiting(POOL_SIZE)
        await proxy.cut()
        return Promise.all(calls)
      })
      await proxy.restore()
      for (const answer of answers) expectUnavailable(answer)
    }
    const after = await Promise.all([1, 2, 3].map((n) => client.post('/contacts', { name: `After ${n}` })))
    expect(after.map(({ status }) => status)).toEqual([201, 201, 201])
    expect(await countOf('contact', "name like 'Cut %'")).toBe(0)
  })

  test('that says nothing any more makes /readyz 503 within three seconds, and /healthz goes on', async () => {
    expect(await probe('/readyz')).toEqual([200, { status: 'ready' }])
    proxy.silence()
    try {
      const begin = Date.now()
      const probes = await Promise.all([1, 2, 3, 4].map(() => probe('/readyz')))
      expect(probes).toEqual(probes.map(() => [503, { status: 'no database' }]))
      expect(Date.now() - begin).toBeLessThan(3000)
      expect(await probe('/healthz')).toEqual([200, { status: 'ok' }])
      // Whoever asks again and again must not use up the connections.
      const { totalCount, idleCount } = service.database.requests.pool
      expect(totalCount - idleCount).toBe(0)
    } finally {
      await proxy.cut() // what was swallowed never comes
      await noticed()
      await proxy.restore()
    }
    expect(await probe('/readyz')).toEqual([200, { status: 'ready' }])
  })
})

describe('a killed connection', () => {
  test('in the middle of a create leaves nothing of it, and a repeat with the same key does it', async () => {
    const { client, accountId } = tenant
    const tag = await makeTag(service.database, accountId)
    const contact = { name: 'Killed', email: 'killed@example.com', tags: [tag.id] }
    const key = { 'Idempotency-Key': 'killed' }
    for (let round = 0; round <= POOL_SIZE; round++) {
      const answer = await whileWritesWait(async () => {
        const call = client.post('/contacts', contact, key)
        const [pid] = await waiting(1)
        await direct.query('select pg_terminate_backend($1)', [pid])
        return call
      })
      expectUnavailable(answer)
    }
    expect(await countOf('contact', "name = 'Killed'")).toBe(0)
    expect(await countOf('contact_tag', `tag_id = '${tag.id}'`)).toBe(0)
    expect(await countOf('idempotency_record', "key = 'killed'")).toBe(0)

    const repeat = await client.post('/contacts', contact, key)
    expect([repeat.status, repeat.headers.get('idempotent-replayed')]).toEqual([201, null])
    expect(repeat.body.data.tags).toHaveLength(1)
    expect(await countOf('contact', "name = 'Killed'")).toBe(1)
  })

  test('between two statements of a transaction is the failure of the next one, and the process lives', async () => {
    const scope = Scope.ofSystem(service.database, tenant.accountId)
    for (let round = 0; round <= POOL_SIZE; round++) {
      const lost = scope.unitOfWork(async (em) => {
        const rows = await em.execute<{ pid: number }[]>('select pg_backend_pid() as pid')
        await direct.query('select pg_terminate_backend($1)', [rows[0]!.pid])
        await delay(50)
        return em.execute('select 1')
      })
      const error = await lost.catch((e: unknown) => e)
      expect(databaseFailure(error)).toMatchObject({ code: 'SERVICE_UNAVAILABLE', extra: { retryAfter: 5 } })
    }
    expect(await scope.unitOfWork((em) => em.execute('select 1 as one'))).toEqual([{ one: 1 }])
  })

  test('that was idle is replaced without anybody noticing', async () => {
    const { client } = tenant
    await Promise.all([client.get('/contacts'), client.get('/contacts'), client.get('/contacts')])
    const { rowCount } = await direct.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'fairlead'`,
    )
    expect(rowCount).toBeGreaterThan(0)
    await noticed()
    const answers = await Promise.all([client.get('/contacts'), client.post('/contacts', { name: 'Fresh' })])
    expect(answers.map(({ status }) => status)).toEqual([200, 201])
  })
})

test('when every connection is in use, a call gives up after its wait with 503, and the others finish', async () => {
  const { client } = tenant
  const { refused, ms, busy } = await whileWritesWait(async () => {
    const busy = Array.from({ length: POOL_SIZE }, (_, n) => client.post('/contacts', { name: `Busy ${n}` }))
    await waiting(POOL_SIZE)
    const begin = Date.now()
    const refused = await Promise.all([
      client.get('/contacts'),
      client.post('/contacts', { name: 'Too many' }),
      client.get('/contacts?search=x'),
    ])
    return { refused, ms: Date.now() - begin, busy }
  })
  for (const answer of refused) expectUnavailable(answer)
  expect(ms).toBeGreaterThanOrEqual(WAIT_MS - 20)
  expect((await Promise.all(busy)).map(({ status }) => status)).toEqual(busy.map(() => 201))
  expect(await countOf('contact', "name = 'Too many'")).toBe(0)
  expect((await client.get('/contacts')).status).toBe(200)
})

describe('a transaction', () => {
  const newScope = () => Scope.ofSystem(service.database, tenant.accountId)

  test('that met a deadlock runs again, so that both of two opposite writers succeed', async () => {
    const { accountId } = tenant
    const [one, two] = await Promise.all([1, 2].map(() => makeContact(service.database, accountId)))
    let attempts = 0
    let arrived = 0
    const write = (ids: string[]) =>
      newScope().unitOfWork(async (em) => {
        attempts++
        for (const [step, id] of ids.entries()) {
          await em.execute('update contact set title = concat(title, ?) where id = ?', ['+', id])
          if (step === 0 && ++arrived <= 2) while (arrived < 2) await delay(5)
        }
      })
    await Promise.all([write([one!.id, two!.id]), write([two!.id, one!.id])])
    expect(attempts).toBe(3)
    const { rows } = await direct.query('select title from contact where id = any($1)', [[one!.id, two!.id]])
    expect(rows).toEqual([{ title: '++' }, { title: '++' }])
  })

  test('that could not be serialized runs again with a fresh look at the data', async () => {
    const { id } = await makeContact(service.database, tenant.accountId, { title: 'old' })
    const seen: unknown[] = []
    const address = new URL(own.url)
    address.searchParams.set('options', '-c default_transaction_isolation=serializable')
    const serializable = await Database.open({ ...OPTIONS, url: address.href })
    await Scope.ofSystem(serializable, tenant.accountId).unitOfWork(async (em) => {
      const [row] = await em.execute<{ title: string }[]>('select title from contact where id = ?', [id])
      seen.push(row?.title)
      if (seen.length === 1) await direct.query("update contact set title = 'new' where id = $1", [id])
      await em.execute("update contact set title = title || '!' where id = ?", [id])
    })
    await serializable.close()
    expect(seen).toEqual(['old', 'new'])
    const { rows } = await direct.query('select title from contact where id = $1', [id])
    expect(rows).toEqual([{ title: 'new!' }])
  })

  test('gives up after four attempts, and the caller may try again later', async () => {
    let attempts = 0
    const failing = newScope().unitOfWork((em) => {
      attempts++
      return em.execute("do $$ begin raise exception 'conflict' using errcode = '40001'; end $$")
    })
    const error = await failing.catch((e: unknown) => e)
    expect(databaseFailure(error)).toMatchObject({ code: 'SERVICE_UNAVAILABLE', extra: { retryAfter: 5 } })
    expect(attempts).toBe(4)
  })

  test.each([
    ['a violated constraint', "insert into account (id) values ('00000000-0000-0000-0000-000000000000')"],
    ['a bug', 'select nonsense'],
  ])('runs once for %s', async (_, statement) => {
    let attempts = 0
    const failing = newScope().unitOfWork((em) => {
      attempts++
      return em.execute(statement)
    })
    await expect(failing).rejects.toThrow()
    expect(attempts).toBe(1)
  })

  test('undoes what an attempt wrote before it was told to run again', async () => {
    const { id } = await makeContact(service.database, tenant.accountId, { title: '' })
    let attempts = 0
    await newScope().unitOfWork(async (em) => {
      await em.execute("update contact set title = title || 'x' where id = ?", [id])
      if (++attempts === 1) throw new RunAgain('once more')
    })
    const { rows } = await direct.query('select title from contact where id = $1', [id])
    expect([attempts, rows]).toEqual([2, [{ title: 'x' }]])
  })
})
