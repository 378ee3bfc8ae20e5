import type { Permission, Permissions } from '../../kit/permissions.js'
import { isAdminOnly, isGrantable, permissionsHeld } from '../../kit/permissions.js'
import { AppError, type Fault } from '../../shared/errors.js'
import type { Viewer } from '../../shared/viewer.js'

// Nobody gives what they do not have. Of a key, whose permissions are words, the words count: one that has every single
// permission of today may not give `*`, which will come to more tomorrow. A person's role is looked up at every call.

/** What is wrong with the words that a key is to be granted, below `path`. */
export function wordFaults(words: readonly string[], declared: Permissions, path: Fault['path']): Fault[] {
  if (words.length === 0) return [{ path, message: 'must name at least one permission' }]
  return words.flatMap((word, i) =>
    isGrantable(word, declared) ? [] : [{ path: [...path, i], message: `is no permission that a key can have` }],
  )
}

/** Throws INSUFFICIENT_PERMISSIONS unless the viewer may give, or take, all these words. */
export function requireGrant(viewer: Viewer, words: readonly string[], declared: Permissions): void {
  const { kind } = viewer.actor
  if (kind === 'command' || kind === 'system') return
  for (const word of words) {
    if (mayGrant(viewer, word, declared)) continue
    const who = kind === 'api_key' ? 'This key' : 'You'
    const adminOnly = kind === 'api_key' && viewer.held.has(word)
    const why = adminOnly
      ? `only an admin, in a session, grants ${word}`
      : `${word} is more than ${who.toLowerCase()} may do`
    throw new AppError('INSUFFICIENT_PERMISSIONS', `${who} cannot give or take that: ${why}.`, {
      extra: { requiredPermission: word },
    })
  }
}

function mayGrant({ actor, permissions, held }: Viewer, word: string, declared: Permissions): boolean {
  const allowed = declared[word as Permission]
  if (allowed !== undefined) return held.has(word) && (actor.kind !== 'api_key' || !isAdminOnly(allowed))
  if (permissions.includes('*') || permissions.includes(word)) return true
  return actor.kind === 'session' && [...permissionsHeld([word], declared)].every((one) => held.has(one))
}
