import pg from 'pg'
import { assembly } from '../../src/assembly.js'
import { Database } from '../../src/database/index.js'
import { MIGRATION_LOCK } from '../../src/database/migrate.js'
import { createDatabase } from '../support/cluster.js'
import { until } from '../support/embedded.js'

const PROCESSES = 6
const ROUNDS = 10

let own: Awaited<ReturnType<typeof createDatabase>>
let databases: Database[]

beforeAll(async () => {
  own = await createDatabase()
  const options = { url: own.url, entities: assembly.entities, poolSize: 2, acquireTimeoutMs: 20_000 }
  const open = () => Database.open({ ...options, rowSecurity: true, log: () => {} })
  databases = await Promise.all(Array.from({ length: PROCESSES }, open))
})

afterAll(async () => {
  for (const database of databases) await database.close()
  await own.drop()
})

test('processes with row security that start together do not trip over their grants', async () => {
  await databases[0]!.prepare()
  for (let round = 0; round < ROUNDS; round++) {
    // As in a database that has just been made.
    await databases[0]!.pool.query('revoke all on all tables in schema public from fairlead_tenant')
    await Promise.all(databases.map((database) => database.prepare()))
  }
})

test('a process with row security waits with its grants for whoever migrates', async () => {
  const migrating = new pg.Client({ connectionString: own.url })
  await migrating.connect()
  await migrating.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
  let done = false
  const prepared = databases[0]!.prepare().then(() => {
    done = true
  })
  await until('wait', async () => {
    // It asks for the lock again and again, and holds nothing meanwhile.
    const { rowCount } = await migrating.query(
      `select from pg_stat_activity where datname = current_database() and query = 'rollback'`,
    )
    return rowCount === 1
  })
  expect(done).toBe(false)
  await migrating.end()
  await prepared
})
