import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { assembly } from '../../src/assembly.js'
import {
  after,
  Database,
  defineFact,
  deliver,
  type FactHandler,
  param,
  Scope,
  Statement,
  type Subscription,
  takeDeliveries,
  within,
} from '../../src/database/index.js'
import { contactCreated, createUnmatched } from '../../src/domains/contacts/index.js'
import { type DeliveryOptions, startDelivery } from '../../src/jobs/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { makeContact, makeTenant } from '../support/factories.js'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
  await service.database.pool.query('truncate outbox')
})

type Ids = { thingId: string; n: string }
const happened = defineFact<Ids>('happened', 'thingId')
const followed = defineFact<Ids>('followed', 'thingId')
const QUICK = { lease: 100, retry: 20, poll: 20 }

/** A process's own database, with what its domains listen to. */
async function process(on: Record<string, Subscription[]>): Promise<Database> {
  const subscribers = Object.entries(on).flatMap(([domain, list]) => list.map((each) => ({ ...each, domain })))
  const { entities } = assembly
  const options = { url: service.databaseUrl, entities, subscribers, poolSize: 6, acquireTimeoutMs: 5000 }
  const database = await Database.open({ ...options, rowSecurity: true, log: () => {} })
  open.push(database)
  return database
}

/** A worker of the process, and what it logs. */
function work(database: Database, options: Partial<DeliveryOptions> = {}) {
  const logged: unknown[] = []
  const worker = startDelivery({ database, log: (error) => logged.push(error), ...QUICK, ...options })
  open.unshift({ close: worker.stop })
  return { ...worker, logged }
}

const say = async (db: Scope, thingId: string, ...numbers: number[]) => {
  for (const n of numbers) await db.transaction(() => db.announce(happened, { thingId, n: String(n) }))
}

const query = async (text: string, values: unknown[] = []) => (await service.database.pool.query(text, values)).rows
const waiting = async () => (await query('select count(*)::int as n from outbox'))[0].n as number

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 20_000; !(await holds()); await delay(10)) {
    if (Date.now() > deadline) throw new Error('it does not come about')
  }
}

const scopeOn = async (database: Database) => Scope.ofSystem(database, (await makeTenant(service)).accountId)

test('who listens after the commit hears of it then, in a transaction of the account, and once', async () => {
  const heard: unknown[] = []
  const database = await process({ upper: [after(happened, (db, ids) => void heard.push([db.accountId, ids]))] })
  const db = await scopeOn(database)
  const thingId = randomUUID()
  await db.transaction(async () => {
    await db.announce(happened, { thingId, n: '1' })
    await delay(100)
    expect(heard).toEqual([])
  })
  expect(await waiting()).toBe(1)
  work(database)
  await until(async () => (await waiting()) === 0)
  expect(heard).toEqual([[db.accountId, { thingId, n: '1' }]])
})

test('a worker in the same process is woken, and need not look for it', async () => {
  const heard: string[] = []
  const database = await process({ upper: [after(happened, (_, { n }: Ids) => void heard.push(n))] })
  work(database, { poll: 3_600_000 })
  await delay(100) // its first look is over
  await say(await scopeOn(database), randomUUID(), 1, 2)
  await until(() => heard.length === 2)
})

test('a transaction that is rolled back tells nobody', async () => {
  const database = await process({ upper: [after(happened, () => {})] })
  const db = await scopeOn(database)
  const failing = db.transaction(async () => {
    await db.announce(happened, { thingId: randomUUID(), n: '1' })
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(await waiting()).toBe(0)
})

test('without anyone who hears of it after the commit nothing is stored', async () => {
  const database = await process({ upper: [within(happened, () => {}), after(followed, () => {})] })
  await say(await scopeOn(database), randomUUID(), 1)
  expect(await waiting()).toBe(0)
})

test('storing it costs no trip: it goes out with what the transaction sends', async () => {
  const database = await process({ upper: [after(happened, () => {})] })
  const db = await scopeOn(database)
  const texts: string[] = []
  database.listen((text) => texts.push(text))
  await say(db, randomUUID(), 1)
  expect(texts.map((text) => text.split(' ')[0])).toEqual(['begin', 'insert', 'commit'])
})

test('a created contact is told by the statement that creates it, to everybody who listens, and to nobody else', async () => {
  const heard: string[] = []
  const note = (domain: string) =>
    after(contactCreated, (_, { contactId }) => void heard.push(`${domain} ${contactId}`))
  const [quiet, told] = [await process({}), await process({ one: [note('one')], two: [note('two')] })]
  const db = await scopeOn(quiet)
  const statementsOf = async (database: Database, name: string) => {
    const texts: string[] = []
    database.listen((text) => texts.push(text))
    const id = await createUnmatched(Scope.ofSystem(database, db.accountId), { name })
    return { id, texts }
  }
  const before = await statementsOf(quiet, 'Ana')
  expect(await waiting()).toBe(0)
  const { id, texts } = await statementsOf(told, 'Bia')
  expect(texts).toEqual(before.texts)
  expect(await query('select ids from outbox')).toEqual([{ ids: { contactId: id } }, { ids: { contactId: id } }])
  work(told)
  await until(async () => (await waiting()) === 0)
  expect(heard.sort()).toEqual([`one ${id}`, `two ${id}`])
})

test('several workers tell each domain each fact once, those of a record in their order', async () => {
  const heard: Record<string, string[]> = {}
  const running = new Set<string>()
  const note = (domain: string) =>
    after(happened, async (_, { thingId, n }: Ids) => {
      const record = `${domain} ${thingId}`
      expect(running.has(record)).toBe(false)
      running.add(record)
      await delay(Math.random() * 4)
      running.delete(record)
      heard[record] = [...(heard[record] ?? []), n]
    })
  const on = { one: [note('one')], two: [note('two')] }
  const databases = [await process(on), await process(on), await process(on)]
  const workers = databases.map((database) => work(database, { lease: 5000 }))
  const things = Array.from({ length: 6 }, () => randomUUID())
  const numbers = Array.from({ length: 12 }, (_, i) => i)
  const scopes = await Promise.all(things.map(() => scopeOn(databases[0]!)))
  await Promise.all(things.map((thing, i) => say(scopes[i]!, thing, ...numbers)))
  await until(async () => (await waiting()) === 0)
  const expected = things.flatMap((thing) =>
    ['one', 'two'].map((domain) => [`${domain} ${thing}`, numbers.map(String)]),
  )
  expect(heard).toEqual(Object.fromEntries(expected))
  expect(workers.flatMap(({ logged }) => logged)).toEqual([])
})

test('different facts of one record reach a domain in their order, too', async () => {
  const heard: string[] = []
  const note =
    (name: string): FactHandler<Ids> =>
    (_, { n }) =>
      void heard.push(name + n)
  const database = await process({ upper: [after(happened, note('happened')), after(followed, note('followed'))] })
  const db = await scopeOn(database)
  const thingId = randomUUID()
  await db.transaction(async () => {
    await db.announce(followed, { thingId, n: '1' })
    await db.announce(happened, { thingId, n: '2' })
    await db.announce(followed, { thingId, n: '3' })
  })
  work(database)
  await until(() => heard.length === 3)
  expect(heard).toEqual(['followed1', 'happened2', 'followed3'])
})

test('what commits late is told, though later ones were told before', async () => {
  const heard: string[] = []
  const database = await process({ upper: [after(happened, (_, { n }: Ids) => void heard.push(n))] })
  work(database)
  const [slow, fast] = [await scopeOn(database), await scopeOn(database)]
  await slow.transaction(async () => {
    await slow.announce(happened, { thingId: randomUUID(), n: 'early' })
    await slow.rows(new Statement(sql`select ${param('account')}`), {}) // it has its number by now
    await say(fast, randomUUID(), 1)
    await until(() => heard.includes('1'))
  })
  await until(() => heard.includes('early'))
})

test('a failure holds up its own record for that domain alone, stays to be seen, and is tried again', async () => {
  const heard: string[] = []
  const [bad, good] = [randomUUID(), randomUUID()]
  let broken = true
  const failing = after(happened, (_, { thingId, n }: Ids) => {
    if (broken && thingId === bad) throw new TypeError('cannot with ana@example.com')
    heard.push(`${thingId === bad ? 'bad' : 'good'} ${n}`)
  })
  const others: string[] = []
  const database = await process({ one: [failing], two: [after(happened, (_, { n }: Ids) => void others.push(n))] })
  const { logged } = work(database)
  const db = await scopeOn(database)
  await say(db, bad, 1, 2)
  await say(db, good, 3, 4)
  await until(() => heard.length === 2 && others.length === 4)
  expect(heard).toEqual(['good 3', 'good 4'])
  await until(
    async () => (await query('select attempts from outbox where ids ->> $1 = $2', ['n', '1']))[0].attempts > 3,
  )
  const stuck = await query('select subscriber, fact, record, error from outbox order by id')
  expect(stuck).toEqual([
    { subscriber: 'one', fact: 'happened', record: bad, error: 'TypeError' },
    { subscriber: 'one', fact: 'happened', record: bad, error: null },
  ])
  expect(logged).toContainEqual(new TypeError('cannot with ana@example.com'))
  broken = false
  await until(async () => (await waiting()) === 0)
  expect(heard.slice(2)).toEqual(['bad 1', 'bad 2'])
})

test.each([
  { begun: 0, least: 0, most: 60 },
  { begun: 3, least: 200, most: 480 },
  { begun: 50, least: 1700, most: 3600 },
])('after $begun failures the next attempt is $least to $most seconds away', async ({ begun, least, most }) => {
  const never = () => Promise.reject(new Error('never'))
  const database = await process({ upper: [after(happened, never)] })
  await say(await scopeOn(database), randomUUID(), 1)
  await query('update outbox set attempts = $1', [begun])
  const pace = { lease: 1, retry: 60_000 }
  const [delivery] = await takeDeliveries(database, 1, pace)
  await expect(deliver(database, delivery!, pace)).rejects.toThrow('never')
  const [{ wait }] = await query('select extract(epoch from due_at - now())::float8 as wait from outbox')
  expect(wait).toBeGreaterThan(least)
  expect(wait).toBeLessThanOrEqual(most)
})

test('what a handler did before it failed is undone, and done once when it succeeds', async () => {
  let failures = 2
  const grow = new Statement<never>(
    sql<never>`update contact set name = name || '!' where account_id = ${param('account')} and id = ${param('id')}`,
  )
  const handler: FactHandler<Ids> = async (db, { thingId }) => {
    await db.rows(grow, { id: thingId })
    if (failures-- > 0) throw new Error('not yet')
  }
  const database = await process({ upper: [after(happened, handler)] })
  work(database)
  const db = await scopeOn(database)
  const contact = await makeContact(service.database, db.accountId, { name: 'Ana' })
  await say(db, contact.id, 1)
  await until(async () => (await waiting()) === 0)
  expect(await query('select name from contact where id = $1', [contact.id])).toEqual([{ name: 'Ana!' }])
})

test('what a process had taken when it died is told by another', async () => {
  const heard: string[] = []
  const on = { upper: [after(happened, (_: Scope, { n }: Ids) => void heard.push(n))] }
  const [dying, other] = [await process(on), await process(on)]
  await say(await scopeOn(dying), randomUUID(), 1, 2)
  expect(await takeDeliveries(dying, 10, QUICK)).toMatchObject([{ ids: { n: '1' }, attempts: 1 }])
  expect(await takeDeliveries(other, 10, QUICK)).toEqual([]) // it may be at work on it
  work(other)
  await until(async () => (await waiting()) === 0)
  expect(heard).toEqual(['1', '2'])
})

test('what is told on a connection that is cut in the middle is told again, while others go on', async () => {
  const heard: string[] = []
  const cut = randomUUID()
  const backend = new Statement<{ pid: number }>(
    sql`select pg_backend_pid() as pid where ${param('account')} is not null`,
  )
  let first = true
  const handler: FactHandler<Ids> = async (db, { thingId, n }) => {
    if (thingId === cut && first) {
      first = false
      const [{ pid }] = (await db.rows(backend, {})) as [{ pid: number }]
      await query('select pg_terminate_backend($1, 20000)', [pid]) // and waits until it is gone
      await db.rows(backend, {})
    }
    heard.push(n)
  }
  const database = await process({ upper: [after(happened, handler)] })
  const { logged } = work(database, { lease: 60_000 }) // that it failed brings it up again, not that it took long
  const db = await scopeOn(database)
  await say(db, cut, 1)
  await say(db, randomUUID(), 2)
  await until(async () => (await waiting()) === 0)
  expect([...heard].sort()).toEqual(['1', '2'])
  await until(() => logged.length > 0)
  expect(logged).toHaveLength(1)
})

test('a worker that stops ends what it is at', async () => {
  let done = false
  const database = await process({
    upper: [
      after(happened, async () => {
        await delay(300)
        done = true
      }),
    ],
  })
  const worker = work(database)
  await say(await scopeOn(database), randomUUID(), 1)
  await until(async () => (await query('select attempts from outbox'))[0]?.attempts === 1)
  await worker.stop()
  expect(done).toBe(true)
  expect(await waiting()).toBe(0)
})

test('a domain of another version hears nothing of a worker that does not know it', async () => {
  const newer = await process({ future: [after(happened, () => {})] })
  const older = await process({ upper: [after(happened, () => {})] })
  await say(await scopeOn(newer), randomUUID(), 1)
  expect(await takeDeliveries(older, 10, QUICK)).toEqual([])
  expect(await takeDeliveries(newer, 10, QUICK)).toHaveLength(1)
})

test.each([
  [
    'two facts of one name',
    [after(happened, () => {}), within(defineFact<Ids>('happened', 'n'), () => {})],
    'two facts',
  ],
  ['one that listens twice', [after(happened, () => {}), after(happened, () => {})], 'upper listens twice to happened'],
])('%s stop the start', async (_, on, says) => {
  await expect(process({ upper: on })).rejects.toThrow(says)
})
