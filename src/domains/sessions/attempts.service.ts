import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { AppError } from '../../shared/errors.js'
import { NIL_ID } from '../../shared/ids.js'
import { networkOf } from '../../shared/network.js'
import { signInFailed } from './sign-in.facts.js'

/** Attempts that cost no wait: for one email, and from one address, where many people may sit behind a router. */
const FREE = { email: 5, address: 50 }
/** Seconds that a wait takes at most; it begins with one and doubles. */
const MAX_WAIT = 900
/** Minutes after the last failure in which all of them are forgotten. */
export const FORGOTTEN_AFTER_MINUTES = 60

// No wait is a moment long past and not this one, which those who come at the same time have not reached yet.
const waitUntil = (failures: ReturnType<typeof sql>) => sql`case when ${failures} <= ${param('free')}::int
  then '-infinity' else now() + make_interval(
    secs => least(${MAX_WAIT}, power(2, least(${failures} - ${param('free')}::int - 1, 20)))) end`

const stale = sql`a.last_at < now() - make_interval(mins => ${FORGOTTEN_AFTER_MINUTES})`
const nth = sql`(case when ${stale} then 1 else a.failures + 1 end)`

// One statement, so that of those who come together no more are let through than there are attempts.
const count = new Statement<{ failures: number }>(
  sql<{ failures: number }>`insert into sign_in_attempt as a (key, failures, wait_until, last_at)
    values (${param('key')}::bytea, 1, '-infinity', now())
    on conflict (key) do update set failures = ${nth}, wait_until = ${waitUntil(nth)}, last_at = now()
      where a.wait_until <= clock_timestamp()
    returning failures`,
  { ofService: true },
)

const remaining = new Statement<{ seconds: number }>(
  sql<{ seconds: number }>`select ceil(extract(epoch from max(wait_until) - now()))::int as seconds from sign_in_attempt
    where key = any(${param('keys')}::bytea[]) and wait_until > now() having count(*) > 0`,
  { ofService: true },
)

const forget = new Statement<never>(sql<never>`delete from sign_in_attempt where key = ${param('key')}::bytea`, {
  ofService: true,
})

/** The email and the address that an attempt is counted for. */
export interface Attempt {
  email: string
  address: string
  /** Whether a link is asked for; counted apart, so that nobody is kept from signing in by it, nor the other way round. */
  ofReset?: boolean
}

const keyOf = (kind: string, text: string) => createHash('sha256').update(`${kind} ${text}`).digest()
const emailKey = ({ email, ofReset }: Attempt) => keyOf(ofReset ? 'reset email' : 'email', email)
const addressKey = ({ address, ofReset }: Attempt) => keyOf(ofReset ? 'reset address' : 'address', networkOf(address))

/**
 * Lets an attempt begin, or throws RATE_LIMIT_EXCEEDED with the seconds to wait. For its email it counts as
 * a failure until `succeeded`, so that parallel guesses are no way around the limit.
 */
export async function beginAttempt(db: Scope, attempt: Attempt): Promise<void> {
  const key = emailKey(attempt)
  const [blocked] = await db.rows(remaining, { keys: [addressKey(attempt), key] })
  if (blocked) throw tooMany(blocked.seconds)
  const [counted] = await db.rows(count, { key, free: FREE.email })
  if (!counted) throw tooMany((await db.rows(remaining, { keys: [key] }))[0]?.seconds ?? 1)
}

/** Counts a wrong password for the address that it came from, and tells of it, whosever email it was. */
export async function failed(db: Scope, attempt: Attempt, person: string = NIL_ID): Promise<void> {
  await db.transaction(async () => {
    await db.rows(count, { key: addressKey(attempt), free: FREE.address })
    await db.announce(signInFailed, { signInId: person })
  })
}

/** Counts a link that was asked for, for the address that asked. */
export async function askedForLink(db: Scope, attempt: Attempt): Promise<void> {
  await db.rows(count, { key: addressKey(attempt), free: FREE.address })
}

/** Forgets the failures of an email: somebody knew the password, or has the mailbox. */
export async function succeeded(db: Scope, attempt: Pick<Attempt, 'email'>): Promise<void> {
  await db.rows(forget, { key: keyOf('email', attempt.email) })
}

function tooMany(seconds: number): AppError {
  const retryAfter = Math.max(seconds, 1)
  const message = `Too many attempts: try again in ${retryAfter} seconds.`
  return new AppError('RATE_LIMIT_EXCEEDED', message, { extra: { retryAfter } })
}
