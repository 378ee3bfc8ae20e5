import type { Scope } from '../../database/index.js'
import { succeeded } from './attempts.service.js'
import { invalidLink, personOfLink, useLink } from './link.service.js'
import { hashPassword, requireGoodPassword } from './password.service.js'
import { storePassword } from './password-change.service.js'
import { holdPerson, personOfId } from './sign-in.reads.js'
import type { LinkPurpose } from './sign-in-link.entity.js'

/**
 * Gives whoever has a link the password that they chose, and ends the person's sessions and links. INVALID_LINK when it
 * works no longer, for whatever reason; a password that is refused leaves it in force.
 */
export async function choosePassword(
  db: Scope,
  purpose: LinkPurpose,
  { token, password }: { token: string; password: string },
): Promise<void> {
  const seen = await personOfId(db, await personOfLink(db, purpose, token))
  if (!seen?.isActive) throw invalidLink()
  requireGoodPassword(password, ['password'], seen.email)
  const hash = await hashPassword(password)
  await db.transaction(async () => {
    const person = await holdPerson(db, seen.id)
    if (!person?.isActive) throw invalidLink()
    await useLink(db, purpose, token)
    await storePassword(db, person.id, hash)
  })
  await succeeded(db, { email: seen.email.toLowerCase() })
}
