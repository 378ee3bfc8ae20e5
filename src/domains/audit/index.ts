import { within } from '../../database/index.js'
import { recordChanged } from '../../kit/changes.js'
import { listCopied } from '../../kit/copies.js'
import { defineDomain } from '../../kit/domain.js'
import { toolCalled } from '../../kit/tool-calls.js'
import { accountCreated, accounts } from '../accounts/index.js'
import { agencies } from '../agencies/index.js'
import { contactDeleted, contacts } from '../contacts/index.js'
import { opportunities, opportunityDeleted } from '../opportunities/index.js'
import { passwordChanged, sessions, sessionsEnded, signedIn, signInFailed, userInvited } from '../sessions/index.js'
import { userRemoved, users } from '../users/index.js'
import { AuditEntry } from './audit-entry.entity.js'
import { AuditResolver } from './audit-entry.resolver.js'
import { recordCall, recordChange, recordCopy, recordFact } from './listen.service.js'
import { recordFailure, recordOfPerson, recordSignIn } from './sign-ins.service.js'

export { AuditEntry } from './audit-entry.entity.js'

/**
 * Who did what in an account, written down in the transaction that does it, for good. What is done to that which lies
 * outside of the accounts is in an audit of its own, of no account, which operators read.
 */
export const audit = defineDomain({
  name: 'audit',
  uses: [accounts, users, sessions, agencies, contacts, opportunities],
  entities: [AuditEntry],
  resolvers: [AuditResolver],
  permissions: { 'audit:read': { allows: 'read who did what in the account', operatorToo: true } },
  on: [
    within(recordChanged, recordChange),
    within(listCopied, recordCopy),
    within(toolCalled, recordCall),
    within(accountCreated, recordFact('created', 'account', 'accountId')),
    within(userRemoved, recordFact('deleted', 'user', 'userId')),
    within(userInvited, recordFact('invited', 'user', 'userId')),
    within(signedIn, recordSignIn),
    within(signInFailed, recordFailure),
    within(passwordChanged, recordOfPerson('password_changed')),
    within(sessionsEnded, recordOfPerson('sessions_ended')),
    within(contactDeleted, recordFact('deleted', 'contact', 'contactId')),
    within(opportunityDeleted, recordFact('deleted', 'opportunity', 'opportunityId')),
  ],
})
