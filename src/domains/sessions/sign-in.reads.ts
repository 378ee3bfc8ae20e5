import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import type { UserRole } from '../users/index.js'

/** What is known of who may sign in. */
export interface Person {
  id: string
  /** None of an operator. */
  accountId: string | null
  accountName: string | null
  name: string
  email: string
  role: UserRole | null
  passwordHash: string | null
  isTemporary: boolean
  /** Whether it may sign in, were its password right. */
  isActive: boolean
}

const person = sql`select i.id, i.account_id as "accountId", a.name as "accountName", coalesce(u.name, o.name) as name,
    coalesce(u.email, o.email) as email, u.role, i.password_hash as "passwordHash", i.is_temporary as "isTemporary",
    o.id is not null or (u.is_active and u.deleted_at is null) as "isActive"
  from sign_in i left join app_user u on u.id = i.user_id left join operator o on o.id = i.operator_id
  left join account a on a.id = i.account_id`

const byEmail = new Statement<Person>(sql<Person>`${person} where i.email_key = lower(${param('email')}::text)`, {
  ofService: true,
})
const byId = new Statement<Person>(sql<Person>`${person} where i.id = ${param('id')}::uuid`, { ofService: true })

/** Who signs in with this email, of whatever account. */
export async function personOfEmail(db: Scope, email: string): Promise<Person | undefined> {
  return (await db.rows(byEmail, { email }))[0]
}

/** The person of this id. */
export async function personOfId(db: Scope, id: string): Promise<Person | undefined> {
  return (await db.rows(byId, { id }))[0]
}

// Whoever deactivates or deletes a user holds it for a change: this waits for them, and they for this.
const holdUser = new Statement<never>(sql<never>`select from app_user where id = ${param('id')}::uuid for share`, {
  ofService: true,
})
const holdSignIn = new Statement<never>(
  sql<never>`select from sign_in where id = ${param('id')}::uuid for no key update`,
  { ofService: true },
)

/** The person as it is from now on until the transaction ends: what others change of it waits. */
export async function holdPerson(db: Scope, id: string): Promise<Person | undefined> {
  db.send(holdUser, { id })
  db.send(holdSignIn, { id })
  return personOfId(db, id)
}
