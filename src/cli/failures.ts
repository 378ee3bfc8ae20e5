import { ConfigError } from '../config.js'

const HINTS: Record<string, string> = {
  '42P01': 'the database lacks our tables: run `fairlead migrate` first',
  ECONNREFUSED: 'the database does not accept connections: check DATABASE_URL',
  ENOTFOUND: "the database's host is unknown: check DATABASE_URL",
  EAI_AGAIN: "the database's host cannot be looked up: check DATABASE_URL",
  EADDRINUSE: 'the port is in use: choose another with --port or PORT',
  EACCES: 'the port or a folder is not open to this user',
  '28000': 'the database refuses this user: check DATABASE_URL',
  '28P01': 'the database refuses the password: check DATABASE_URL',
  '3D000': 'the database does not exist: create it, or check DATABASE_URL',
}

/** A failure in one line for people; the stack only where nothing better is known. */
export async function describeFailure(error: unknown): Promise<string> {
  if (error instanceof ConfigError) return error.message
  const { databaseFailure, failureCode } = await import('../database/index.js')
  const { EmbeddedPostgresError } = await import('../embedded-postgres/index.js')
  if (error instanceof EmbeddedPostgresError) {
    return `${error.message}\nSet DATABASE_URL to use a PostgreSQL server of your own.`
  }
  const hint = HINTS[failureCode(error) ?? '']
  const message = error instanceof Error ? error.message : String(error)
  if (hint) return `${hint} (${message || failureCode(error)})`
  if (databaseFailure(error)?.status === 503) {
    return `the database cannot be reached: check DATABASE_URL (${message})`
  }
  const known = error instanceof Error && (error.constructor !== Error || !error.stack)
  return known || !(error instanceof Error) ? message : (error.stack ?? message)
}
