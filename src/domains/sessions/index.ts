import { within } from '../../database/index.js'
import { defineDomain } from '../../kit/domain.js'
import { accounts } from '../accounts/index.js'
import { userDeactivated, users } from '../users/index.js'
import { Operator } from './operator.entity.js'
import { SignInResolver } from './session.resolver.js'
import { endSessions } from './session.service.js'
import { SignIn } from './sign-in.entity.js'
import { SignInAttempt } from './sign-in-attempt.entity.js'
import { SignInSession } from './sign-in-session.entity.js'
import { sweepSignIns } from './sweep.job.js'

export { type FirstPassword, givePassword, People } from './first-password.service.js'
export { hashed, hashPassword, temporaryPassword } from './password.service.js'
export { sessionCredentials } from './session-credential.service.js'
export { type SessionSettings, sessionSettings } from './settings.service.js'
export { passwordChanged, sessionsEnded, signedIn, signInFailed } from './sign-in.facts.js'
export { personOfEmail } from './sign-in.reads.js'
export { setTemporaryPassword } from './temporary-password.service.js'

/** How people sign in: passwords, sessions, and the operators of the service. */
export const sessions = defineDomain({
  name: 'sessions',
  uses: [accounts, users],
  entities: [Operator, SignIn, SignInSession, SignInAttempt],
  resolvers: [SignInResolver],
  jobs: [sweepSignIns],
  on: [within(userDeactivated, async (db, { userId }) => void (await endSessions(db, userId)))],
})
