import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { equals, where } from '../../kit/reads/index.js'
import { type ReferenceFilter, referenceReads } from '../../kit/reference/index.js'
import { standingsInTurn } from '../accounts/index.js'
import { User } from './user.entity.js'

/** The reads of users. A search looks through their emails, too. */
export const userReads = referenceReads(User, {
  keepsDeleted: true,
  relations: { sector: { by: 'sectorId' } },
  filters: {
    search: where(
      (of, value) => sql`(${of('name_key')} like like_pattern(${value})
      or fold(${of('email')}) like like_pattern(${value}))`,
    ),
    isActive: equals('isActive'),
  } satisfies Record<keyof ReferenceFilter, unknown>,
})

const byEmail = new Statement<{ id: string }>(
  sql<{ id: string }>`select id from app_user
    where account_id = ${param('account')} and lower(email) = lower(${param('email')}) and deleted_at is null`,
  { prepared: true },
)

/** The id of the account's own user with this email, if there is one. */
export async function idOfEmail(db: Scope, email: string): Promise<string | undefined> {
  return (await db.rows(byEmail, { email }))[0]?.id
}

const admins = new Statement<{ id: string }>(
  sql<{ id: string }>`select id from app_user
    where account_id = ${param('account')} and role = 'admin' and is_active and deleted_at is null`,
  { prepared: true },
)

/**
 * Tells who the active admins of the account are, of whom nobody else takes one away until the transaction ends. Their rows
 * stay free, since somebody else may become an admin meanwhile, before whom those would have to be locked.
 */
export async function lockAdmins(db: Scope): Promise<string[]> {
  standingsInTurn(db)
  return (await db.rows(admins, {})).map(({ id }) => id)
}
