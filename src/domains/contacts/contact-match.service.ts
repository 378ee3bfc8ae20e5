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

interface Match {
  /** The contact with this LinkedIn profile, the oldest of several. */
  byProfile: string | null
  /** The contact with this email. */
  byEmail: string | null
  /** Whether that one has another LinkedIn profile. */
  isAnother: boolean
}

const match = new Statement<Match>(
  sql<Match>`select
    (select c.id from contact c where c.account_id = ${param('account')}
      and linkedin_key(c.linkedin_profile_url) = linkedin_key(${param('linkedinProfileUrl')}::text)
      order by c.created_at, c.id limit 1) as "byProfile",
    holder.id as "byEmail",
    coalesce(linkedin_key(holder.linkedin_profile_url) <> linkedin_key(${param('linkedinProfileUrl')}::text), false)
      as "isAnother"
    from (select) one left join contact holder on holder.account_id = ${param('account')}
      and lower(holder.email) = lower(${param('email')}::text)`,
  { prepared: true },
)

/** Who a person is among the contacts. */
export interface Matched {
  id: string | null
  /** Whether the email belongs to another person, with a LinkedIn profile of its own. */
  sharesMailbox: boolean
}

/**
 * The contact with this LinkedIn profile, else the one with this email, unless that one has another profile: then they
 * are two people with one mailbox. Until the open transaction ends, others that look for the same profile wait.
 */
export async function matchContact(db: Scope, identity: Identity): Promise<Matched> {
  const values = { linkedinProfileUrl: identity.linkedinProfileUrl ?? null, email: identity.email ?? null }
  if (values.linkedinProfileUrl) db.send(lock, values)
  const { byProfile, byEmail, isAnother } = (await db.rows(match, values))[0]!
  return { id: byProfile ?? (isAnother ? null : byEmail), sharesMailbox: !byProfile && byEmail !== null && isAnother }
}
