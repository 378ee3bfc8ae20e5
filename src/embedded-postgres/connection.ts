import pg from 'pg'
import { embeddedError } from './errors.js'

/** The name of the application's database in the cluster. */
export const DATABASE = 'fairlead'

/** The address of a database of the cluster. */
export function databaseUrl(port: number, password: string, database: string): string {
  return `postgres://postgres:${password}@127.0.0.1:${port}/${database}`
}

/** Tells whether the server answers a query now; a server that starts, recovers or stops does not. */
export async function answers(port: number, password: string): Promise<boolean> {
  try {
    await query(port, password, 'select 1')
    return true
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    const refused = code === '28P01' || code === '28000'
    if (refused) throw embeddedError('the running server does not take the password in postgres.password', message)
    return false
  }
}

/** Makes the application's database unless it is there. */
export async function ensureDatabase(port: number, password: string): Promise<void> {
  const { rowCount } = await query(port, password, `select from pg_database where datname = '${DATABASE}'`)
  if (rowCount === 0) await query(port, password, `create database ${DATABASE}`)
}

async function query(port: number, password: string, sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client({
    connectionString: databaseUrl(port, password, 'postgres'),
    connectionTimeoutMillis: 5000,
    application_name: 'fairlead start-up',
  })
  // Without a listener, a server that goes away between two steps would end this process.
  client.on('error', () => undefined)
  try {
    await client.connect()
    return await client.query(sql)
  } finally {
    await client.end().catch(() => undefined)
  }
}
