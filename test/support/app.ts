import { PassThrough } from 'node:stream'
import { EXTERNAL } from '../../src/apis/external.js'
import { type App, type AppOptions, startApp } from '../../src/app.js'
import { type Config, readConfig } from '../../src/config.js'
import type { Database } from '../../src/database/index.js'
import { type ConnectionLimits, createLogger } from '../../src/http/index.js'
import { openDatabase } from '../../src/open-database.js'
import { createDatabase } from './cluster.js'
import { type Statements, statementsOf } from './statements.js'

/** The service under test on a database of its own, listening on a free port. */
export interface TestApp {
  app: App
  database: Database
  databaseUrl: string
  /** `http://127.0.0.1:…` */
  origin: string
  /** The base address of the external API. */
  base: string
  /** Everything that was logged, as parsed lines. */
  logs(): Record<string, unknown>[]
  /** The SQL statements that the work causes. */
  statementsOf<T>(work: () => Promise<T>): Promise<Statements<T>>
  stop(): Promise<void>
}

/** A busy machine may take its time: limits of time are the matter of the tests that set them. */
const UNHURRIED: Partial<Config> = {
  ...{ acquireTimeoutMs: 30_000, statementMs: 60_000, lockMs: 30_000 },
  authFailureLimit: 1_000_000, // so is how often they call with a wrong key
}

/** Where the service under test finds its database: behind the pooler, where the tests run with one. */
function addressesOf(url: string): Pick<Config, 'databaseUrl' | 'databasePooler' | 'databaseDirectUrl'> {
  const { TEST_POOLER_URL: pooler } = process.env
  if (!pooler) return { databaseUrl: url, databasePooler: 'none' }
  const behind = Object.assign(new URL(pooler), { pathname: new URL(url).pathname })
  return { databaseUrl: behind.href, databasePooler: 'transaction', databaseDirectUrl: url }
}

/** Starts the service as `fairlead serve` does, in this process; beside another one, on its database. */
export async function startTestApp(
  { events, idempotencyWaitMs, ...settings }: Partial<Config> & Pick<AppOptions, 'events' | 'idempotencyWaitMs'> = {},
  limits?: Partial<ConnectionLimits>,
  beside?: TestApp,
): Promise<TestApp> {
  const own = beside ? { url: beside.databaseUrl, drop: async () => {} } : await createDatabase()
  const config: Config = {
    ...readConfig({}),
    ...UNHURRIED,
    port: 0,
    ...addressesOf(own.url),
    rowSecurity: true,
    ...settings,
  }
  const sink = new PassThrough()
  const chunks: string[] = []
  sink.on('data', (chunk) => chunks.push(String(chunk)))
  const logger = createLogger(config.logLevel, sink)
  const database = await openDatabase(config.databaseUrl!, config, logger)
  const app = await startApp({ config, logger, database, events, idempotencyWaitMs, limits })
  const origin = `http://127.0.0.1:${app.port}`
  return {
    app,
    database,
    databaseUrl: own.url,
    origin,
    base: origin + EXTERNAL.base,
    logs: () =>
      chunks
        .join('')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    statementsOf: (work) => statementsOf(database, app.port, work),
    stop: async () => {
      await app.stop()
      await database.close()
      await own.drop()
    },
  }
}
