import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { equals, where } from '../../kit/reads/index.js'
import { type ReferenceFilter, referenceReads } from '../../kit/reference/index.js'
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

// In the order of their ids, so that two transactions that lock them wait for each other and never in a ring.
const admins = new Statement<{ id: string }>(
  sql<{ id: string }>`select id from app_user
    where account_id = ${param('account')} and role = 'admin' and is_active and deleted_at is null
    order by id for no key update`,
  { prepared: true },
)

/** Locks the active admins of the account until the transaction ends, and tells who they are. */
export async function lockAdmins(db: Scope): Promise<string[]> {
  return (await db.rows(admins, {})).map(({ id }) => id)
}
