import { oneAtATime, type RequireStanding, type Scope } from '../../database/index.js'
import { type Access, requireAccess } from '../../kit/permissions.js'
import { AppError } from '../../shared/errors.js'
import type { CredentialKind } from './authentication.service.js'

// A process believes a credential for a moment, in which it may end elsewhere, and a call takes its time. What outlasts the
// call is therefore not done on that belief: its transaction looks at the credential anew, and holds it.

/** The permissions that change what others may do: whoever uses one also waits for credentials and users of others. */
const GOVERNING: ReadonlySet<string> = new Set(['keys:write', 'users:write'])

/**
 * Lets the account's transactions that change who may do what go on one after the other. It comes before all locks of users,
 * sessions and keys, of which such a transaction holds several, in whatever order.
 */
export const standingsInTurn = (db: Scope): void => oneAtATime(db, 'standings')

/** Looks at viewers by their kinds of credentials; the command line and the service itself need none. */
export function standingOf(kinds: readonly CredentialKind[]): RequireStanding {
  return async (db, permission) => {
    const { actor, held } = db.viewer
    const kind = kinds.find((one) => one.kind === actor.kind)
    if (!kind) return
    if (GOVERNING.has(permission)) standingsInTurn(db)
    const found = await kind.hold(db, permission)
    if (!found) throw kind.refusal()
    const { viewer } = kind.become(found)
    requireAccess(viewer, permission as Access)
    const lost = [...held].find((one) => !viewer.held.has(one))
    if (lost !== undefined) {
      throw new AppError('INSUFFICIENT_PERMISSIONS', `You lack the permission ${lost}, which you had a moment ago.`, {
        extra: { requiredPermission: lost },
      })
    }
  }
}
