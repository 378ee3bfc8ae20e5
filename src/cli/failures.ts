import { CommanderError } from 'commander'
import { ConfigError } from '../config.js'
import { AppError } from '../shared/errors.js'

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

/** Exit codes besides 0: the command failed, or it was called wrongly (arguments or settings). */
export const FAILED = 1
export const MISUSED = 2

/** A failure as a command ends with it. */
export interface Failure {
  exitCode: number
  code: string
  /** What is wrong, in one sentence for people. */
  message: string
  /** The way to a bug, for stderr alone. */
  stack?: string
}

/** What a failure means for whoever gave the command. */
export async function failureOf(error: unknown): Promise<Failure> {
  if (error instanceof ConfigError) return { exitCode: MISUSED, code: 'INVALID_SETTING', message: error.message }
  if (error instanceof CommanderError) {
    const message = error.code === 'commander.help' ? 'no command was given' : error.message.replace(/^error: /, '')
    return { exitCode: MISUSED, code: 'INVALID_USAGE', message }
  }
  if (error instanceof AppError && error.status < 500) {
    const { code, status, message } = error
    return { exitCode: status === 400 ? MISUSED : FAILED, code, message }
  }
  return { exitCode: FAILED, code: 'FAILED', ...(await describe(error)) }
}

/** The stack only where nothing better is known. */
async function describe(error: unknown): Promise<{ message: string; stack?: string }> {
  const { databaseFailure, failureCode } = await import('../database/index.js')
  const { EmbeddedPostgresError } = await import('../embedded-postgres/index.js')
  if (error instanceof EmbeddedPostgresError) {
    return { message: `${error.message}\nSet DATABASE_URL to use a PostgreSQL server of your own.` }
  }
  const hint = HINTS[failureCode(error) ?? '']
  const message = error instanceof Error ? error.message : String(error)
  if (hint) return { message: `${hint} (${message || failureCode(error)})` }
  if (databaseFailure(error)?.status === 503) {
    return { message: `the database cannot be reached: check DATABASE_URL (${message})` }
  }
  const known = !(error instanceof Error) || error.constructor !== Error
  return known ? { message } : { message, stack: error.stack }
}
