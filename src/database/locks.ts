import { sql } from 'kysely'
import type { Scope } from './scope.js'
import { param, Statement } from './statement.js'

const lock = new Statement<never>(
  sql<never>`select pg_advisory_xact_lock(hashtextextended(${param('account')}::text || chr(1) || ${param('what')}, 4714))`,
)

/**
 * Lets the account's transactions that call this with the same text go on one after the other: each sees what those
 * before it wrote. For rules that hold between records, where no single row can be locked.
 */
export function oneAtATime(db: Scope, what: string): void {
  db.send(lock, { what })
}
