import { sql } from 'kysely'
import { Catalogue, columnsOf, param, type Scope, Statement } from '../../database/index.js'
import type { User } from './user.entity.js'

/** The reads of users. */
export const users = new Catalogue<User>({
  table: 'app_user',
  columns: columnsOf('id', 'name', 'email', 'role', 'sectorId', 'isActive', 'createdAt'),
  keepsDeleted: true,
  searched: [sql`t.email`],
})

/** Loads users by id, deleted ones among them; null where the account has none of that id. */
export const userLoader = users.loader

/** The account's user of this id; null where there is none, or it was deleted. Whether it is active, is the caller's question. */
export const findUser = (db: Scope, id: string): Promise<User | null> => users.find(db, id)

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
const owners = new Statement<{ id: string }>(
  sql<{ id: string }>`select id from app_user
    where account_id = ${param('account')} and role = 'owner' and is_active and deleted_at is null
    order by id for update`,
  { prepared: true },
)

/** Locks the active owners of the account until the transaction ends, and tells who they are. */
export async function lockOwners(db: Scope): Promise<string[]> {
  return (await db.rows(owners, {})).map(({ id }) => id)
}
