import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'

/** By what a person is known who may be a contact already. */
export interface Identity {
  linkedinProfileUrl?: string | null
  email?: string | null
}

// Nothing but this lock keeps two calls for the same new profile from creating two contacts.
const lock = new Statement<never>(
  sql<never>`select pg_advisory_xact_lock(hashtextextended(
    ${param('account')}::text || linkedin_key(${param('linkedinProfileUrl')}::text), 4713))`,
)

const match = new Statement<{ id: string }>(
  sql<{ id: string }>`select found.id from (
      (select c.id, 1 as rank from contact c where c.account_id = ${param('account')}
        and linkedin_key(c.linkedin_profile_url) = linkedin_key(${param('linkedinProfileUrl')}::text)
        order by c.created_at, c.id limit 1)
      union all
      select c.id, 2 from contact c where c.account_id = ${param('account')}
        and lower(c.email) = lower(${param('email')}::text)) found
    order by found.rank limit 1`,
  { prepared: true },
)

/**
 * The id of the contact with this LinkedIn profile, the oldest of several, else of the one with this email; null where
 * there is none. Until the open transaction ends, others that look for the same profile wait.
 */
export async function matchContact(db: Scope, identity: Identity): Promise<string | null> {
  const values = { linkedinProfileUrl: identity.linkedinProfileUrl ?? null, email: identity.email ?? null }
  if (values.linkedinProfileUrl) db.send(lock, values)
  const [found] = await db.rows(match, values)
  return found?.id ?? null
}
