import { sql } from 'kysely'
import { type Context, param, type Scope, Statement } from '../../database/index.js'
import { hashCredential, makeCredential } from '../../shared/credential.js'
import { AppError } from '../../shared/errors.js'
import { newId } from '../../shared/ids.js'
import { beginAttempt, failed, succeeded } from './attempts.service.js'
import { isPassword } from './password.service.js'
import type { Login } from './session.types.js'
import { SESSION_PREFIX, SIGN_IN_ERRORS } from './session-credential.service.js'
import { sessionSettings } from './settings.service.js'
import { signedIn } from './sign-in.facts.js'
import { holdPerson, type Person, personOfEmail } from './sign-in.reads.js'

const MAX_DEVICE_LENGTH = 255

const begin = new Statement<{ expiresAt: Date }>(
  sql<{ expiresAt: Date }>`insert into sign_in_session (id, sign_in_id, account_id, hash, device, address, expires_at)
    values (${param('id')}, ${param('person')}, ${param('owner')}, ${param('hash')}, ${param('device')},
      ${param('address')}, now() + make_interval(hours => ${param('hours')}))
    returning expires_at as "expiresAt"`,
  { ofService: true },
)

/** What is known of the caller who signs in. */
export type Caller = Pick<Context, 'address' | 'userAgent'>

/**
 * Begins a session of who has this email and password. INVALID_CREDENTIALS whatever is wrong: neither the answer nor its
 * time tells whether somebody has the email. RATE_LIMIT_EXCEEDED when the email, or the address, has failed too often.
 */
export async function login(db: Scope, caller: Caller, email: string, password: string): Promise<Login> {
  const attempt = { email: email.toLowerCase(), address: caller.address }
  await beginAttempt(db, attempt)
  const person = await personOfEmail(db, email)
  const right = await isPassword(password, person?.passwordHash ?? undefined)
  const done = right && person ? await beginSession(db, caller, person) : undefined
  if (!done) {
    await failed(db, attempt, person?.id)
    throw new AppError(SIGN_IN_ERRORS.INVALID_CREDENTIALS, 'The email or the password is wrong.')
  }
  await succeeded(db, attempt)
  return done
}

/** Begins a session unless the person, or its password, is no longer what it was when that was looked at. */
export async function beginSession(db: Scope, caller: Caller, seen: Person): Promise<Login | undefined> {
  const token = makeCredential(SESSION_PREFIX)
  return db.transaction(async () => {
    const person = await holdPerson(db, seen.id)
    if (!person?.isActive || person.passwordHash !== seen.passwordHash) return undefined
    const id = newId()
    const [stored] = await db.rows(begin, {
      id,
      person: person.id,
      owner: person.accountId,
      hash: hashCredential(token),
      device: shortened(caller.userAgent),
      address: caller.address,
      hours: db.get(sessionSettings).maxHours,
    })
    await db.announce(signedIn, { signInId: person.id, sessionId: id })
    return { token, expiresAt: stored!.expiresAt, mustChangePassword: person.isTemporary }
  })
}

// Whatever a header may carry, the list of sessions shows printable text.
const shortened = (userAgent: string) => userAgent.replace(/[^\x20-\x7e]/g, '').slice(0, MAX_DEVICE_LENGTH)
