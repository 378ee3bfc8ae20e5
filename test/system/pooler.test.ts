import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { MIGRATION_LOCK } from '../../src/database/migrate.js'
import { type Client, createClient } from '../support/client.js'
import { createDatabase } from '../support/cluster.js'
import { makePerson, signIn, withSession } from '../support/factories/people.js'
import { openSilently } from '../support/open-database.js'
import { type LocalPgBouncer, startPgBouncer } from '../support/pgbouncer.mjs'
import { describeWith } from '../support/programs.js'
import { type Running, start } from './cli/run.js'

// So few that what one transaction left behind on a server connection would be the next one's.
const SERVER_CONNECTIONS = 2
const LOCK_MS = 500
/** Within this what one process has ended is refused by all. */
const TOLD_MS = 1000

describeWith(['pgbouncer'], 'behind a pooler in transaction mode', () => {
  let pooler: LocalPgBouncer
  let own: Awaited<ReturnType<typeof createDatabase>>
  let settings: Record<string, string>
  let servers: Running[]
  let origin: string
  let other: string

  const command = async (...args: string[]): Promise<Record<string, string>> => {
    const { code, stdout, stderr } = await start([...args, '--json'], settings).finished
    expect({ code, stderr }).toMatchObject({ code: 0 })
    return stdout ? JSON.parse(stdout) : {}
  }
  const newAccount = async (name: string): Promise<Client> => {
    const { account_id: account } = await command('account', 'create', '--name', name)
    const { key } = await command('key', 'create', '--account', account!, '--name', 'x', '--permissions', '*')
    return createClient(origin, key!)
  }

  beforeAll(async () => {
    own = await createDatabase({ empty: true })
    pooler = await startPgBouncer(process.env.TEST_ADMIN_URL!, { poolSize: SERVER_CONNECTIONS })
    settings = {
      DATABASE_URL: pooler.urlOf(new URL(own.url).pathname.slice(1)),
      DATABASE_POOLER: 'transaction',
      DATABASE_LOCK_MS: String(LOCK_MS),
      DATABASE_WAIT_MS: '60000',
      ROW_SECURITY: 'true',
    }
    const migrated = await start(['migrate'], settings).finished
    expect(migrated).toMatchObject({ code: 0 })
    servers = [1, 2].map(() => start(['serve', '--port', '0', '--no-worker'], settings))
    const origins = await Promise.all(servers.map((server) => server.prints(/REST +(http:\S+?)\/external/)))
    ;[origin, other] = origins as [string, string]
  })
  afterAll(async () => {
    for (const { child } of servers) child.kill('SIGTERM')
    for (const { finished } of servers) expect(await finished).toMatchObject({ code: 0 })
    await pooler.stop()
    await own.drop()
  })

  test('accounts that share its connections see and change what is theirs alone', async () => {
    const clients = [await newAccount('one'), await newAccount('two')]
    const calls = Array.from({ length: 120 }, async (_, i) => {
      const client = clients[i % 2]!
      const made = await client.post('/contacts', { name: `of ${i % 2}`, email: `${i}@example.com` })
      expect(made.status).toBe(201)
      const { id } = made.body.data
      expect((await client.put(`/contacts/${id}`, { company: `of ${i % 2}` })).status).toBe(200)
      expect((await clients[1 - (i % 2)]!.get(`/contacts/${id}`)).status).toBe(404)
      const list = await client.get('/contacts?limit=100')
      expect(new Set(list.body.data.map(({ name }: { name: string }) => name))).toEqual(new Set([`of ${i % 2}`]))
    })
    await Promise.all(calls)
    const totals = await Promise.all(clients.map((client) => client.get('/contacts')))
    expect(totals.map(({ body }) => body.pagination.total)).toEqual([60, 60])
  })

  test('a statement waits for a lock no longer than the settings say', async () => {
    const client = await newAccount('three')
    const { id } = (await client.post('/contacts', { name: 'Held' })).body.data
    const holder = new pg.Client({ connectionString: own.url })
    await holder.connect()
    try {
      await holder.query('begin')
      await holder.query('select from contact where id = $1 for update', [id])
      const refused = await client.put(`/contacts/${id}`, { company: 'x' })
      expect(refused.status).toBe(503)
    } finally {
      await holder.end()
    }
    expect((await client.put(`/contacts/${id}`, { company: 'x' })).status).toBe(200)
  })

  test('a key and a session that one process ends are refused by the other within a second', async () => {
    // No process can listen behind the pooler, and none knows another way to the database.
    const database = await openSilently(own.url)
    try {
      const admin = await makePerson({ database, origin })
      const [session, ends] = [
        await signIn({ database, origin }, admin.email),
        await signIn({ database, origin }, admin.email),
      ]
      const { client } = session
      const inOther = createClient(other, admin.tenant.key)
      const me = () => withSession(other, ends.token).graphql('{ me { id } }')
      expect([(await inOther.get('/')).status, (await me()).body.errors]).toEqual([200, undefined])
      const revoke = 'mutation ($id: ID!) { revokeApiKey(id: $id) { id } }'
      const [key, left] = await Promise.all([
        client.graphql(revoke, { id: admin.tenant.keyId }),
        ends.client.graphql('mutation { logout }'),
      ])
      expect([key.body.errors, left.body.errors]).toEqual([undefined, undefined])
      await delay(TOLD_MS)
      expect([(await inOther.get('/')).status, (await me()).status]).toEqual([401, 401])
    } finally {
      await database.close()
    }
  })

  test('who waits for somebody that migrates keeps none of its connections', async () => {
    const migrating = new pg.Client({ connectionString: own.url })
    await migrating.connect()
    await migrating.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
    const waiting = [1, 2, 3].map(() => start(['migrate'], settings))
    const asked = `select from pg_stat_activity where datname = current_database() and query = 'rollback'`
    while (!(await migrating.query(asked)).rowCount) await delay(5)
    for (let i = 0; i < 10; i++) {
      await delay(100)
      const client = new pg.Client({ connectionString: settings.DATABASE_URL })
      await client.connect()
      await client.query('select 1')
      await client.end()
    }
    await migrating.end()
    for (const { finished } of waiting) expect(await finished).toMatchObject({ code: 0 })
  })

  test('each process has its figures', async () => {
    for (const from of [origin, other]) {
      const response = await fetch(`${from}/metrics`)
      const text = await response.text()
      const figure = (name: string) => Number(new RegExp(`^${name}(?:{[^}]*})? (.*)$`, 'm').exec(text)?.[1])
      expect(response.status).toBe(200)
      expect(figure('fairlead_sql_statements_total')).toBeGreaterThan(0)
      expect(figure('fairlead_database_silent')).toBe(0)
      expect(figure('fairlead_queue_entries')).toBeGreaterThanOrEqual(0)
    }
  })

  test('times come as they do without it', async () => {
    const client = await newAccount('four')
    const { created_at: at } = (await client.post('/contacts', { name: 'Now' })).body.data
    expect(at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(Math.abs(Date.parse(at) - Date.now())).toBeLessThan(600_000)
  })
})
