import type pg from 'pg'
import { ScramClient } from './client.js'
import { embeddedError } from './errors.js'

/** How the superuser of a cluster logs in. */
export interface Login {
  user: string
  password: string
  /** What the connections of this module call themselves. */
  application: string
}

/** The address of a database of the cluster. */
export function databaseUrl(port: number, { user, password }: Login, database: string): string {
  return `postgres://${encodeURIComponent(user)}:${password}@127.0.0.1:${port}/${encodeURIComponent(database)}`
}

/** Tells whether the server answers a query now; a server that starts, recovers or stops does not. */
export async function answers(port: number, login: Login): Promise<boolean> {
  try {
    await query(port, login, 'select 1')
    return true
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    const refused = code === '28P01' || code === '28000'
    if (refused) throw embeddedError('the running server does not take the password in postgres.password', message)
    return false
  }
}

/** Makes a database unless it is there. */
export async function ensureDatabase(port: number, login: Login, database: string): Promise<void> {
  const { rowCount } = await query(port, login, 'select from pg_database where datname = $1', [database])
  if (rowCount === 0) await query(port, login, `create database "${database.replaceAll('"', '""')}"`)
}

async function query(port: number, login: Login, sql: string, values?: unknown[]): Promise<pg.QueryResult> {
  const client = new ScramClient({
    connectionString: databaseUrl(port, login, 'postgres'),
    connectionTimeoutMillis: 5000,
    application_name: login.application,
  })
  // Without a listener, a server that goes away between two steps would end this process.
  client.on('error', () => undefined)
  try {
    await client.connect()
    return await client.query(sql, values)
  } finally {
    await client.end().catch(() => undefined)
  }
}
