import { sql } from 'kysely'
import type { Scope } from './scope.js'
import { param, Statement } from './statement.js'

const lock = new Statement<never>(
  sql<never>`select pg_advisory_xact_lock(hashtextextended(${param('account')}::text || chr(1) || ${param('what')}, 4714))`,
)

/** Locks records of one table until the open transaction ends; who looks at them afterwards sees them as they are then. */
export interface RowLock {
  /** For a change: others may go on to refer to the record. */
  toChange(db: Scope, id: string): void
  /** For a deletion that nothing comes before which could wait for one who refers to the record already. */
  toDelete(db: Scope, id: string): void
}

/**
 * The lock of a table's records. The ORM knows only the stronger one, which has everybody wait who merely refers to the
 * record, be it by an unchanged foreign key that PostgreSQL looks at again. A record that is not there is not locked.
 */
export function rowLock(table: string): RowLock {
  const locking = (strength: string) => {
    const query = sql<never>`select from ${sql.table(table)}
      where account_id = ${param('account')} and id = ${param('id')} for ${sql.raw(strength)}`
    const statement = new Statement<never>(query, { prepared: true })
    return (db: Scope, id: string) => db.send(statement, { id })
  }
  return { toChange: locking('no key update'), toDelete: locking('update') }
}

/**
 * Lets the account's transactions that call this with the same text go on one after the other: each sees what those
 * before it wrote. For rules that hold between records, where no single row can be locked.
 */
export function oneAtATime(db: Scope, what: string): void {
  db.send(lock, { what })
}
