import { defineFact } from '../../database/index.js'

/** Somebody signed in; `signInId` is the id of the user or operator. */
export const signedIn = defineFact<{ signInId: string; sessionId: string }>('signedIn', 'signInId')

/** Sessions of a person were ended before their time. */
export const sessionsEnded = defineFact<{ signInId: string }>('sessionsEnded', 'signInId')

/**
 * Somebody asked for a link to another password; `signInId` is nobody's when nobody has the email, so that who asks waits
 * as long for the answer.
 */
export const passwordResetRequested = defineFact<{ signInId: string }>('passwordResetRequested', 'signInId')

/** A user is to get a link by which it chooses its first password. */
export const userInvited = defineFact<{ userId: string }>('userInvited', 'userId')

/** A person has another password. */
export const passwordChanged = defineFact<{ signInId: string }>('passwordChanged', 'signInId')

/**
 * Somebody gave a wrong password: for the user or operator `signInId`, or for an email that nobody has, when that is
 * NIL_ID. An attempt that had to wait is none.
 */
export const signInFailed = defineFact<{ signInId: string }>('signInFailed', 'signInId')
