import { sql } from 'kysely'
import { param, RunAgain, type Scope, Statement, violates } from '../../database/index.js'
import { AppError } from '../../shared/errors.js'
import { slugOf } from '../../shared/text.js'
import { Accounts } from '../accounts/index.js'
import { personOfEmail } from '../sessions/index.js'
import { nameFirstAdmin } from '../users/index.js'
import { type Attempt, takePlaceAt } from './event-store.service.js'
import type { Provisioning } from './provisioning.service.js'
import { PROVISIONING_ERRORS, TOLD } from './provisioning-errors.service.js'
import { type AgencyTerms, type AskedQuotas, lockTerms, type Quotas } from './sub-account.service.js'

/** What a creation asks for. */
export interface NewSubAccount {
  name: string
  adminEmail: string
  /** The address, if not said. */
  adminName?: string | null
  externalRef?: string | null
  channels?: AskedQuotas
  includeCredentials?: boolean | null
}

/** What was taken for a sub-account. */
export interface Reserved {
  slug: string
  createdAt: string
  adminId: string
}

/** A creation on its way. */
export interface Creation {
  provisioning: Provisioning
  db: Scope
  attempt: Attempt
  input: NewSubAccount
  quotas: Quotas
}

/** Sub-accounts that an agency may create in an hour. */
const PER_HOUR = 5
const HOUR_SECONDS = 3600
const SLUG_KEY = 'sub_account_slug_key'
const REF_KEY = 'sub_account_external_ref_key'

const lockSlug = new Statement<never>(
  sql<never>`select pg_advisory_xact_lock(hashtextextended(${param('slug')}, 4716)), ${param('agency')}::uuid`,
)

// How long until the oldest of the last five is an hour old.
const hour = new Statement<{ count: number; wait: number | null }>(
  sql<{ count: number; wait: number | null }>`select count(*)::int as count,
      ceil(extract(epoch from min(created_at) + interval '1 hour' - now()))::int as wait
    from (select created_at from sub_account where agency_id = ${param('agency')}
      and created_at > now() - interval '1 hour' order by created_at desc limit 5) latest`,
  { prepared: true },
)

const refIsTaken = new Statement<{ id: string }>(
  sql<{ id: string }>`select id from sub_account where agency_id = ${param('agency')} and external_ref = ${param('ref')}
    and status <> 'deleted'`,
  { prepared: true },
)

// Its slug is the first that is free: the plain one, or with a number behind it.
const reserve = new Statement<{ slug: string; createdAt: string }>(
  sql<{
    slug: string
    createdAt: string
  }>`insert into sub_account (id, agency_id, status, name, slug, external_ref, admin_id,
      linkedin, whatsapp, instagram, email_marketing)
    select ${param('account')}::uuid, ${param('agency')}::uuid, 'provisioning', ${param('name')}, free.slug,
      ${param('externalRef')}, ${param('admin')}::uuid, ${param('linkedin')}::int, ${param('whatsapp')}::int,
      ${param('instagram')}::int, ${param('emailMarketing')}::int
    from (select case when n = 1 then ${param('slug')}::text else ${param('slug')} || '-' || n end as slug
      from generate_series(1, (select count(*) + 1 from sub_account s where s.slug = ${param('slug')}
        or s.slug like ${param('slug')} || '-%')) n
      where not exists (select from sub_account s
        where s.slug = case when n = 1 then ${param('slug')}::text else ${param('slug')} || '-' || n end)
      order by n limit 1) free
    returning slug, created_at as "createdAt"`,
)

/** Takes what only one can have: a place in the hour, the address, the reference and the slug. */
export async function takeWhatIsUnique(
  { db, attempt, input, quotas, provisioning }: Creation,
  seats: number,
): Promise<{ terms: AgencyTerms; taken: Reserved }> {
  const slug = slugOf(input.name)
  const terms = await lockTerms(db)
  await requireFree(db, input)
  if (seats > 0 && !terms.hasCard) {
    throw new AppError(PROVISIONING_ERRORS.NO_PAYMENT_METHOD, TOLD.NO_PAYMENT_METHOD)
  }
  await new Accounts(provisioning.database).create({ name: input.name }, db)
  const adminId = await nameFirstAdmin(db, { name: input.adminName ?? input.adminEmail, email: input.adminEmail })
  const { name, externalRef = null } = input
  db.send(lockSlug, { slug }) // so late, since agencies wait for each other here
  const [row] = await db.rows(reserve, { name, externalRef, slug, admin: adminId, ...quotas })
  await takePlaceAt(db, attempt, db.accountId)
  return { terms, taken: { ...row!, adminId } }
}

async function requireFree(db: Scope, { adminEmail, externalRef }: NewSubAccount): Promise<void> {
  const [{ count, wait }] = (await db.rows(hour, {})) as [{ count: number; wait: number | null }]
  if (count >= PER_HOUR) {
    throw new AppError(PROVISIONING_ERRORS.RATE_LIMIT_SUBACCOUNT_CREATE, TOLD.RATE_LIMIT_SUBACCOUNT_CREATE, {
      extra: { retryAfter: Math.min(Math.max(wait ?? 1, 1), HOUR_SECONDS) },
    })
  }
  if (await personOfEmail(db, adminEmail)) throw emailTaken()
  if (externalRef && (await db.rows(refIsTaken, { ref: externalRef })).length > 0) throw refTaken()
}

const emailTaken = () => new AppError(PROVISIONING_ERRORS.EMAIL_ALREADY_REGISTERED, TOLD.EMAIL_ALREADY_REGISTERED)
const refTaken = () => new AppError(PROVISIONING_ERRORS.EXTERNAL_REF_ALREADY_USED, TOLD.EXTERNAL_REF_ALREADY_USED)

/** The unique indexes decide between those who looked at the same moment. */
export async function mapConflicts<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (violates(error, REF_KEY)) throw refTaken()
    if (violates(error, 'app_user_email_key') || violates(error, 'sign_in_email_key')) throw emailTaken()
    if (violates(error, SLUG_KEY)) throw new RunAgain('the slug was taken meanwhile', { cause: error })
    throw error
  }
}
