import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'

const give = new Statement<never>(
  sql<never>`update sign_in set password_hash = ${param('hash')}, is_temporary = true, changed_at = now()
    where id = ${param('id')}::uuid and account_id = ${param('account')}`,
)

/** Gives a user of the account a password that must be replaced before anything else works, as a part of the open transaction. */
export function setTemporaryPassword(db: Scope, userId: string, hash: string): void {
  db.send(give, { id: userId, hash })
}
