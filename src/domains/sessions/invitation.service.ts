import type { Scope } from '../../database/index.js'
import { requireAll } from '../../kit/permissions.js'
import { invalid, notFound } from '../../shared/errors.js'
import { isUuid } from '../../shared/ids.js'
import { createUser, permissionsOfRole, type User } from '../users/index.js'
import type { InviteUserInput } from './link.inputs.js'
import { makeLink } from './link.service.js'
import { mailLink } from './mail-link.service.js'
import { userInvited } from './sign-in.facts.js'
import { holdPerson } from './sign-in.reads.js'

/** Creates a user, as `createUser` does, and has a link mailed to it by which it chooses a password. */
export function inviteUser(db: Scope, input: InviteUserInput): Promise<User> {
  return createUser(db, db.viewer, input, (userId) => db.announce(userInvited, { userId }))
}

/**
 * Has a link mailed to a user who has no password yet, in the place of an earlier one; the user may do no more than the
 * viewer.
 */
export async function resendInvitation(db: Scope, userId: string): Promise<void> {
  if (!isUuid(userId)) throw notFound('user')
  await db.transaction(async () => {
    const person = await holdPerson(db, userId)
    if (!person?.role || person.accountId !== db.accountId) throw notFound('user')
    requireAll(db.viewer, permissionsOfRole(person.role))
    const message = !person.isActive
      ? 'is the id of a user who is not active'
      : person.passwordHash
        ? 'is the id of a user who has a password already'
        : undefined
    if (message) throw invalid([{ path: ['userId'], message }])
    await db.announce(userInvited, { userId: person.id })
  })
}

/** Mails the link, unless the user has a password by now. A repeat, after a failure, makes another one. */
export async function mailInvitation(db: Scope, { userId }: { userId: string }): Promise<void> {
  const made = await db.transaction(async () => {
    const person = await holdPerson(db, userId)
    return person?.isActive && !person.passwordHash && { person, link: await makeLink(db, person, 'invitation') }
  })
  if (!made) return
  const { person, link } = made
  await mailLink(db, `the invitation of the user ${userId}`, {
    to: person.email,
    subject: `Invitation to ${person.accountName}`,
    text: `Hello ${person.name},

you are invited to work in ${person.accountName}. Choose your password here within seven days, then sign in with
${person.email}:

${link}

The link works once.
`,
  })
}
