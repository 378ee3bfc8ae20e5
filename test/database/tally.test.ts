import { compactAll, type Tally, verifyTally } from '../../src/database/index.js'
import { compactTally } from '../../src/database/tally/index.js'
import { contactTally } from '../../src/domains/contacts/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { makeContact, makeTenant } from '../support/factories.js'

const FULL = process.env.FULL === 'true'
const STORM_MS = FULL ? 20_000 : 3000

let service: TestApp
beforeAll(async () => {
  service = await startTestApp({ poolSize: 20 })
})
afterAll(() => service.stop())

const query = async (text: string, values: unknown[] = []) => (await service.database.pool.query(text, values)).rows

const differencesOf = async (accountId: string) =>
  (await query('select count(*)::int as n from contact_tally where account_id = $1', [accountId]))[0].n

test('the total follows creations and deletions at once, and compaction changes nothing but the rows', async () => {
  const { accountId, client } = await makeTenant(service)
  const total = async () => (await client.get('/contacts')).body.pagination.total
  const contacts = []
  for (let i = 0; i < 5; i++) contacts.push(await makeContact(service.database, accountId))
  expect(await total()).toBe(5)
  await client.delete(`/contacts/${contacts[0]!.id}`)
  expect(await total()).toBe(4)
  expect(await differencesOf(accountId)).toBe(6)
  await compactTally(service.database.pool, contactTally, accountId)
  expect(await differencesOf(accountId)).toBe(1)
  expect(await total()).toBe(4)
})

test('an unfiltered total does not look at the table', async () => {
  const { accountId, client } = await makeTenant(service)
  await makeContact(service.database, accountId)
  // A wrong kept total shows that it is the one which is told.
  await query('insert into contact_tally (account_id, n) values ($1, 41)', [accountId])
  expect((await client.get('/contacts')).body.pagination.total).toBe(42)
  expect((await client.get('/contacts?search=contact')).body.pagination.total).toBe(1)
})

test('verify names what is wrong, and only that', async () => {
  const { accountId } = await makeTenant(service)
  await makeContact(service.database, accountId)
  expect(await mismatchesOf(accountId)).toEqual([])
  await query('insert into contact_tally (account_id, n) values ($1, 2)', [accountId])
  expect(await mismatchesOf(accountId)).toEqual([{ account_id: accountId, kept_n: '3', true_n: '1' }])
  await query('delete from contact_tally where account_id = $1', [accountId])
  expect(await mismatchesOf(accountId)).toEqual([{ account_id: accountId, kept_n: '0', true_n: '1' }])
})

async function mismatchesOf(accountId: string, tally: Tally = contactTally) {
  return (await verifyTally(service.database.pool, tally)).filter((mismatch) => mismatch.account_id === accountId)
}

test('many differences are compacted in the background by the read that meets them', async () => {
  const { accountId, client } = await makeTenant(service)
  await query('insert into contact_tally (account_id, n) select $1, 1 - 2 * (i % 2) from generate_series(1, 2000) i', [
    accountId,
  ])
  const contact = await makeContact(service.database, accountId)
  expect((await client.get('/contacts')).body.data).toMatchObject([{ id: contact.id }])
  const deadline = Date.now() + 10_000
  while ((await differencesOf(accountId)) > 1 && Date.now() < deadline) await new Promise((r) => setTimeout(r, 50))
  expect(await differencesOf(accountId)).toBe(1)
  expect(await mismatchesOf(accountId)).toEqual([])
})

test('parallel writers of one account do not wait for each other', async () => {
  const { accountId, client } = await makeTenant(service)
  const blocker = await service.database.pool.connect()
  try {
    await blocker.query('begin')
    await blocker.query(`insert into contact (id, account_id, name) values (gen_random_uuid(), $1, 'uncommitted')`, [
      accountId,
    ])
    expect((await client.post('/contacts', { name: 'Other writer' })).status).toBe(201)
    expect((await client.get('/contacts')).body.pagination.total).toBe(1)
  } finally {
    await blocker.query('rollback')
    blocker.release()
  }
})

test('nothing drifts in a storm of writers, rollbacks, killed connections and compactions', async () => {
  const tenants = await Promise.all([makeTenant(service), makeTenant(service), makeTenant(service)])
  const until = Date.now() + STORM_MS
  const stormy =
    <T>(work: () => Promise<T>) =>
    async () => {
      while (Date.now() < until) await work().catch(() => {}) // a victim of the killer tries something else
    }
  const anyone = () => tenants[Math.floor(Math.random() * tenants.length)]!
  const write = async () => {
    const { accountId } = anyone()
    const client = await service.database.pool.connect()
    client.on('error', () => {})
    let failed = false
    try {
      await client.query('begin')
      await client.query(
        `insert into contact (id, account_id, name) select gen_random_uuid(), $1, 'c' from generate_series(1, $2::int)`,
        [accountId, 1 + Math.floor(Math.random() * 5)],
      )
      if (Math.random() < 0.5) {
        await client.query(
          `delete from contact where id in (select id from contact where account_id = $1 limit 2 for update skip locked)`,
          [accountId],
        )
      }
      await client.query(Math.random() < 0.2 ? 'rollback' : 'commit')
    } catch (error) {
      failed = true
      throw error
    } finally {
      client.release(failed)
    }
  }
  const kill = async () => {
    await query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
       and pid <> pg_backend_pid() and state <> 'idle' order by random() limit 1`,
    )
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const compact = async () => void (await compactAll(service.database.pool, contactTally, 1))
  const workers = [write, write, write, write, write, write, compact, compact, kill].map((work) => stormy(work)())
  await Promise.all(workers)

  const ids = new Set(tenants.map(({ accountId }) => accountId))
  const wrong = (await verifyTally(service.database.pool, contactTally)).filter(({ account_id }) =>
    ids.has(String(account_id)),
  )
  expect(wrong).toEqual([])
  const [{ n }] = await query('select count(*)::int as n from contact where account_id = any($1)', [[...ids]])
  expect(n).toBeGreaterThan(0)
}, 60_000)
