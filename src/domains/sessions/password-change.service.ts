import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { AppError, invalid } from '../../shared/errors.js'
import type { Actor } from '../../shared/viewer.js'
import { beginAttempt, failed, succeeded } from './attempts.service.js'
import { endLinks } from './link.service.js'
import type { Caller } from './login.service.js'
import { hashPassword, isPassword, requireGoodPassword } from './password.service.js'
import { endSessions } from './session.service.js'
import { SIGN_IN_ERRORS } from './session-credential.service.js'
import { passwordChanged } from './sign-in.facts.js'
import { holdPerson, personOfId } from './sign-in.reads.js'

const store = new Statement<never>(
  sql<never>`update sign_in set password_hash = ${param('hash')}, is_temporary = ${param('temporary')}, changed_at = now()
    where id = ${param('person')}::uuid`,
  { ofService: true },
)

/** Stores a person's password inside the open transaction, and ends its links, and its sessions but this one. */
export async function storePassword(
  db: Scope,
  person: string,
  hash: string,
  { temporary = false, keep }: { temporary?: boolean; keep?: string } = {},
): Promise<void> {
  await db.rows(store, { person, hash, temporary })
  await endLinks(db, person)
  await endSessions(db, person, { but: keep })
  db.forget(person)
  await db.announce(passwordChanged, { signInId: person })
}

/**
 * Gives whoever asks another password, and ends its other sessions. A wrong present one is INVALID_CREDENTIALS and counts
 * like one at sign-in, so that a stolen session is no way to guess it.
 */
export async function changePassword(
  db: Scope,
  caller: Caller,
  { id: session, userId }: Actor,
  { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
): Promise<void> {
  const seen = await personOfId(db, userId!)
  if (!seen) throw gone()
  requireGoodPassword(newPassword, ['newPassword'], seen.email)
  const attempt = { email: seen.email.toLowerCase(), address: caller.address }
  await beginAttempt(db, attempt)
  if (!(await isPassword(currentPassword, seen.passwordHash ?? undefined))) {
    await failed(db, attempt, seen.id)
    throw new AppError(SIGN_IN_ERRORS.INVALID_CREDENTIALS, 'The present password is wrong.')
  }
  await succeeded(db, attempt)
  if (newPassword.normalize('NFKC') === currentPassword.normalize('NFKC')) {
    throw invalid([{ path: ['newPassword'], message: 'must not be the present password' }])
  }
  const hash = await hashPassword(newPassword)
  await db.transaction(async () => {
    const person = await holdPerson(db, seen.id)
    // Somebody else, who knew it too, was faster.
    if (!person?.isActive || person.passwordHash !== seen.passwordHash) throw gone()
    await storePassword(db, person.id, hash, { keep: session })
  })
}

const gone = () => new AppError(SIGN_IN_ERRORS.INVALID_SESSION, 'This session has ended meanwhile: sign in again.')
