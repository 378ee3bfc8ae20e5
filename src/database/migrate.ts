import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import type { Database } from './database.js'
import { failureCode } from './failures.js'
import { migrations } from './migrations/index.js'

/**
 * What changes the database's structure or its grants holds this advisory lock: one number for all processes. While
 * migrating, a transaction of its own holds it, so that it is free again when the process dies; a transaction, since a pooler
 * gives nothing else to one connection for long.
 */
export const MIGRATION_LOCK = 471_100
/** How long somebody who has not got the lock waits until it is asked for again. */
const LOOK_MS = 100
const CONNECT_MS = 10_000
const UNDEFINED_TABLE = '42P01'

/** The database is older than the program. */
export class PendingMigrationsError extends Error {}

/**
 * Applies what is pending and returns its names. Processes that do it at the same time wait for each other; the signal
 * ends the wait, and then nothing is applied.
 */
export async function migrate({ orm, Client }: Database, url: string, signal?: AbortSignal): Promise<string[]> {
  const client = new Client({
    connectionString: url,
    application_name: 'fairlead migrate',
    connectionTimeoutMillis: CONNECT_MS,
  })
  client.on('error', () => {}) // a loss shows as the failure of the statement under way
  await client.connect()
  try {
    if (!(await beginLocked(client, signal))) return []
    const applied = await orm.migrator.up()
    return applied.map(({ name }) => name)
  } finally {
    await client.end()
  }
}

/**
 * Begins the transaction that holds the lock; resolves to false when the signal came before. Who does not get it asks again,
 * and is in no transaction meanwhile: behind a pooler that has few connections, whoever has the lock needs another.
 */
export async function beginLocked(client: pg.ClientBase, signal?: AbortSignal): Promise<boolean> {
  while (!signal?.aborted) {
    await client.query('begin')
    const { rows } = await client.query<{ mine: boolean }>(
      `select pg_try_advisory_xact_lock(${MIGRATION_LOCK}) as mine`,
    )
    if (rows[0]!.mine) return !signal?.aborted
    await client.query('rollback')
    await delay(LOOK_MS, undefined, { signal }).catch(() => {})
  }
  return false
}

/** Throws PendingMigrationsError unless the database has every migration that this program knows. */
export async function requireMigrated({ pool }: Database): Promise<void> {
  const applied = new Set(await appliedMigrations(pool))
  const missing = migrations.map(({ name }) => name).filter((name) => !applied.has(name))
  if (missing.length === 0) return
  throw new PendingMigrationsError(`the database lacks ${missing.join(', ')}: run \`fairlead migrate\` first`)
}

async function appliedMigrations(pool: pg.Pool): Promise<string[]> {
  try {
    const { rows } = await pool.query<{ name: string }>('select name from migration')
    return rows.map(({ name }) => name)
  } catch (error) {
    if (failureCode(error) === UNDEFINED_TABLE) return []
    throw error
  }
}
