import { sql } from 'kysely'
import { Database, param, Scope, Statement } from '../../src/database/index.js'
import { MIGRATION_LOCK } from '../../src/database/migrate.js'
import { Contact, ContactTag } from '../../src/domains/contacts/index.js'
import { Tag } from '../../src/domains/reference/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { createDatabase } from '../support/cluster.js'
import { makeContact, makeTag, makeTenant } from '../support/factories.js'
import { tenantTablesOf } from '../support/tables.js'

// Behind the services' own conditions stand further walls. Here someone forgets the conditions on purpose.

/** Tables with an account that operators read, and tenants only under row level security. */
const OPERATORS_TABLES = ['api_key']

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

async function twoAccounts() {
  const [mine, other] = [await makeTenant(service), await makeTenant(service)]
  const contact = await makeContact(service.database, mine.accountId)
  const foreign = await makeContact(service.database, other.accountId)
  return { mine, other, contact, foreign, db: Scope.ofSystem(service.database, mine.accountId) }
}

test('every table of the database with an account has row level security', async () => {
  const { rows } = await service.database.pool.query<{ name: string; secured: boolean }>(
    `select c.relname as name, c.relrowsecurity as secured from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and a.attname = 'account_id'`,
  )
  expect(rows.map(({ name }) => name).sort()).toEqual([...tenantTablesOf(service.database), ...OPERATORS_TABLES].sort())
  expect(rows.filter(({ secured }) => !secured)).toEqual([])
})

test('a statement that does not name the account cannot be made', () => {
  expect(() => new Statement(sql`select * from contact c`)).toThrow(/does not name the account: select \* from contact/)
  expect(() => new Statement(sql`update contact set name = ${param('accountId')}`)).toThrow(/does not name the account/)
})

test('a statement gets the account of its scope, whatever it is given', async () => {
  const { db, contact, other } = await twoAccounts()
  const all = new Statement<{ id: string }>(sql`select id from contact where account_id = ${param('account')}`)
  expect(await db.rows(all, { account: other.accountId })).toEqual([{ id: contact.id }])
})

test('a read that forgets its condition sees only the rows of its account', async () => {
  const { db, contact } = await twoAccounts()
  const forgetful = new Statement<{ id: string }>(
    sql`select c.id from contact c where ${param('account')}::uuid is not null`,
  )
  expect(await db.rows(forgetful, {})).toEqual([{ id: contact.id }])
  const inTransaction = await db.transaction(() => db.rows(forgetful, {}))
  expect(inTransaction).toEqual([{ id: contact.id }])
})

test('a write that forgets its condition changes only the rows of its account', async () => {
  const { db, foreign } = await twoAccounts()
  const forgetful = new Statement(
    sql`update contact set company = 'changed' where ${param('account')}::uuid is not null`,
  )
  await db.transaction(() => db.rows(forgetful, {}))
  const { rows } = await service.database.pool.query('select company from contact where id = $1', [foreign.id])
  expect(rows).toEqual([{ company: null }])
})

test('a row of another account cannot be inserted', async () => {
  const { db, other } = await twoAccounts()
  const foreign = new Statement(
    sql`insert into tag (id, account_id, name, color) select gen_random_uuid(), ${param('other')}::uuid, 'x', 'y'
      where ${param('account')}::uuid is not null`,
  )
  await expect(db.transaction(() => db.rows(foreign, { other: other.accountId }))).rejects.toThrow(/row-level security/)
})

test('row level security is left when a statement fails', async () => {
  const { db } = await twoAccounts()
  const failing = new Statement(sql`select 1 / 0 from contact where account_id = ${param('account')}`)
  for (let i = 0; i < 20; i++) await expect(db.rows(failing, {})).rejects.toThrow(/division by zero/)
  const { rows } = await service.database.pool.query(
    `select current_user as role, current_setting('app.account', true) a`,
  )
  expect(rows[0]).not.toMatchObject({ role: 'fairlead_tenant' })
  expect(rows[0].a ?? '').toBe('')
})

test('the unit of work of an account finds nothing of another', async () => {
  const { mine, contact, foreign } = await twoAccounts()
  const em = service.database.forkFor(mine.accountId)
  expect(await em.findOne(Contact, foreign.id)).toBeNull()
  expect((await em.find(Contact, {})).map(({ id }) => id)).toEqual([contact.id])
  expect(await em.nativeUpdate(Contact, { id: foreign.id }, { company: 'changed' })).toBe(0)
  expect(await em.nativeDelete(Contact, { id: foreign.id })).toBe(0)
})

test('the unit of work of nobody refuses the entities of accounts', async () => {
  await expect(service.database.fork().find(Contact, {})).rejects.toThrow(/filter 'tenant'/)
  await expect(service.database.fork().nativeDelete(Tag, { name: 'x' })).rejects.toThrow(/filter 'tenant'/)
})

test('the unit of work of an account stores nothing in another', async () => {
  const { mine, other } = await twoAccounts()
  const em = service.database.forkFor(mine.accountId)
  em.create(Tag, { name: 'x', color: 'y', accountId: other.accountId })
  await expect(em.flush()).rejects.toThrow(/cannot be stored by account/)
})

test('no row can refer to another account, even without the other walls', async () => {
  const { mine, other, contact } = await twoAccounts()
  const tag = await makeTag(service.database, other.accountId)
  const em = service.database.fork()
  em.create(ContactTag, { contact: contact.id, tag: tag.id, accountId: mine.accountId })
  await expect(em.flush()).rejects.toThrow(/foreign key constraint/)
})

test('servers that start at the same moment on a new database all get what they need', async () => {
  for (let round = 0; round < 6; round++) {
    const own = await createDatabase()
    const options = { url: own.url, entities: [], poolSize: 2, acquireTimeoutMs: 20_000, rowSecurity: true }
    const servers = await Promise.all(Array.from({ length: 10 }, () => Database.open({ ...options, log: () => {} })))
    try {
      await Promise.all(servers.map(({ pool }) => pool.query('select 1'))) // connected, so that all come at once
      const ends = await Promise.allSettled(servers.map((server) => server.prepare()))
      expect(ends.filter(({ status }) => status === 'rejected')).toEqual([])
    } finally {
      await Promise.all(servers.map((server) => server.close()))
      await own.drop()
    }
  }
})

test('a server that starts waits for one that changes the database', async () => {
  const changing = await service.database.pool.connect()
  await changing.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
  const order: string[] = []
  const prepared = service.database.prepare().then(() => order.push('prepared'))
  // It asks for the lock again and again, and holds nothing meanwhile.
  const tried = `select from pg_stat_activity where datname = current_database() and query = 'rollback'`
  while (!(await changing.query(tried)).rowCount) await new Promise((resolve) => setTimeout(resolve, 5))
  order.push('changed')
  await changing.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK])
  changing.release()
  await prepared
  expect(order).toEqual(['changed', 'prepared'])
})
