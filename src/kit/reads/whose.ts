import { type RawBuilder, sql } from 'kysely'
import { columnOf, param, type Scope } from '../../database/index.js'
import { NO_ACCOUNT } from '../../shared/viewer.js'

/**
 * Whose records a read brings: those of the viewer's account; those of the viewer's agency, which a property names; or
 * everybody's, for viewers of no account alone.
 */
export type Whose = 'account' | { agency: string } | 'everybody'

/** That a record `r` is the viewer's. */
export function isMine(whose: Whose): RawBuilder<boolean> {
  if (whose === 'account') return sql<boolean>`r.account_id = ${param('account')}`
  if (whose === 'everybody') return sql<boolean>`${param('account')}::uuid = ${sql.lit(NO_ACCOUNT)}::uuid`
  return sql<boolean>`${sql.ref(`r.${columnOf(whose.agency)}`)} = ${param('agency')}`
}

/** What tells a list of some viewer from the same list of another one with whom it shares its account, or none. */
export function viewOf(whose: Whose, db: Scope): readonly string[] {
  if (whose === 'account') return []
  return whose === 'everybody' ? ['everybody'] : ['agency', db.agencyId]
}
