import type { Scope } from '../../database/index.js'
import { newId } from '../../shared/ids.js'
import { askedForLink, beginAttempt } from './attempts.service.js'
import { makeLink } from './link.service.js'
import type { Caller } from './login.service.js'
import { mailLink } from './mail-link.service.js'
import { passwordResetRequested } from './sign-in.facts.js'
import { holdPerson, personOfEmail } from './sign-in.reads.js'

/**
 * Has a link to another password mailed to who has the email. The same is done when nobody has it, so that neither the
 * answer nor its time tells. RATE_LIMIT_EXCEEDED when that was asked too often, for the email or from the address.
 */
export async function requestPasswordReset(db: Scope, { address }: Caller, email: string): Promise<void> {
  const attempt = { email: email.toLowerCase(), address, ofReset: true }
  await beginAttempt(db, attempt)
  await askedForLink(db, attempt)
  const person = await personOfEmail(db, email)
  // Told to the worker as nobody's, which then sees people of every account, whoever may have asked.
  const service = db.ofNobody()
  await service.transaction(() => service.announce(passwordResetRequested, { signInId: person?.id ?? newId() }))
}

/** Mails the link. A repeat, after a failure, makes another one. */
export async function mailReset(db: Scope, { signInId }: { signInId: string }): Promise<void> {
  const made = await db.transaction(async () => {
    const person = await holdPerson(db, signInId)
    return person?.isActive && { person, link: await makeLink(db, person, 'reset') }
  })
  if (!made) return
  const { person, link } = made
  await mailLink(db, `the link for a new password of ${signInId}`, {
    to: person.email,
    subject: 'Choose a new password',
    text: `Hello ${person.name},

somebody asked for a new password for ${person.email}. Choose it here within an hour:

${link}

The link works once, and ends when another one is asked for. If it was not you, there is nothing to do: your password
stays as it is.
`,
  })
}
