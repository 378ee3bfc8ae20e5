// Jest loads this without its transformer, so it works on the built code; `npm test` builds first.
import 'reflect-metadata'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { assembly } from '../../dist/assembly.js'
import { Database, migrate } from '../../dist/database/index.js'
import { acquireEmbeddedPostgres } from '../../dist/embedded-postgres/index.js'
import { startPgBouncer } from './pgbouncer.mjs'

export const TEMPLATE = 'fairlead_template'

/** Starts the tests' own PostgreSQL: a throw-away cluster without durability, with a migrated database to clone. */
export default async function globalSetup() {
  const dataDir = mkdtempSync(join(tmpdir(), 'fairlead-test-'))
  // Files run side by side, some of which have several processes with all their connections in use.
  const settings = { max_connections: '300' }
  const postgres = await acquireEmbeddedPostgres({ dataDir, name: 'fairlead', durable: false, settings })
  const remove = () => rmSync(dataDir, { recursive: true, force: true })
  const abandon = () => {
    process.kill(postgres.pid, 'SIGQUIT')
    remove()
  }
  // With TEST_POOLER=transaction all that the service under test asks goes through a pooler.
  const pooler = process.env.TEST_POOLER === 'transaction' ? await startPgBouncer(postgres.adminUrl) : undefined
  if (pooler) process.env.TEST_POOLER_URL = pooler.urlOf('postgres')
  globalThis.stopTestCluster = async () => {
    await pooler?.stop()
    process.off('exit', abandon)
    await postgres.release()
    remove()
  }
  // Jest ends without its teardown when it is interrupted or a configuration is wrong.
  process.on('exit', abandon)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1))
  const admin = new pg.Client({ connectionString: postgres.adminUrl })
  await admin.connect()
  await admin.query(`create database ${TEMPLATE}`)
  // A test that finds a deadlock reads here who waited for whom; the product's own settings keep errors out of the log.
  await admin.query('alter role current_user set log_min_messages = error')
  await admin.query("alter system set log_line_prefix = '[%d] '")
  await admin.query('select pg_reload_conf()')
  await admin.end()
  const url = new URL(postgres.adminUrl)
  url.pathname = `/${TEMPLATE}`
  const { entities } = assembly
  const database = await Database.open({ url: url.href, entities, poolSize: 2, acquireTimeoutMs: 5000, log: () => {} })
  await migrate(database, url.href)
  await database.close()
  process.env.TEST_ADMIN_URL = postgres.adminUrl
  process.env.TEST_POSTGRES_LOG = join(dataDir, 'postgres.log')
}
