import { outside, within } from '../../database/index.js'
import { defineDomain } from '../../kit/domain.js'
import { accounts } from '../accounts/index.js'
import { userDeactivated, users } from '../users/index.js'
import { InvitationResolver } from './invitation.resolver.js'
import { mailInvitation } from './invitation.service.js'
import { endLinks } from './link.service.js'
import { Operator } from './operator.entity.js'
import { PasswordResetResolver } from './password-reset.resolver.js'
import { mailReset } from './password-reset.service.js'
import { SignInResolver } from './session.resolver.js'
import { endSessions } from './session.service.js'
import { SignIn } from './sign-in.entity.js'
import { passwordResetRequested, userInvited } from './sign-in.facts.js'
import { SignInAttempt } from './sign-in-attempt.entity.js'
import { SignInLink } from './sign-in-link.entity.js'
import { SignInSession } from './sign-in-session.entity.js'
import { sweepSignIns } from './sweep.job.js'

export { hashed } from '../../shared/hashing.js'
export { type FirstPassword, givePassword, People } from './first-password.service.js'
export { hashPassword, temporaryPassword } from './password.service.js'
export { sessionCredentials } from './session-credential.service.js'
export { mailer, type SessionSettings, sessionSettings } from './settings.service.js'
export {
  passwordChanged,
  passwordResetRequested,
  sessionsEnded,
  signedIn,
  signInFailed,
  userInvited,
} from './sign-in.facts.js'
export { personOfEmail } from './sign-in.reads.js'
export { setTemporaryPassword } from './temporary-password.service.js'

/** How people sign in: passwords, sessions, and the operators of the service. */
export const sessions = defineDomain({
  name: 'sessions',
  uses: [accounts, users],
  entities: [Operator, SignIn, SignInSession, SignInLink, SignInAttempt],
  resolvers: [SignInResolver, PasswordResetResolver, InvitationResolver],
  jobs: [sweepSignIns],
  on: [
    within(userDeactivated, async (db, { userId }) => {
      await endLinks(db, userId)
      await endSessions(db, userId)
    }),
    outside(passwordResetRequested, mailReset),
    outside(userInvited, mailInvitation),
  ],
})
