import { Extensions } from 'type-graphql'
import { defineNeed } from '../database/index.js'
import { AppError, errorKinds } from '../shared/errors.js'
import type { Viewer } from '../shared/viewer.js'

/** What the token of an agency may be allowed, in the words of the agencies' API. */
export type TokenScope = `sub_account.${string}`

/** What a key may be allowed: a resource and an action, as the domain that owns the resource declares them; or a scope. */
export type Permission = `${string}:${string}` | TokenScope

/** What a permission allows. */
export type Allowed =
  | string
  | { allows: string; lasting: true }
  | { allows: string; adminOnly: true }
  | { allows: string; operatorOnly: true; lasting?: true }
  | { allows: string; operatorToo: true }
  | { allows: string; tokenOnly: true; lasting?: true }

/**
 * Permissions with what each allows. Wildcards do not include those that only an admin or the command line grants; those
 * of operators alone and the scopes of agencies' tokens are nobody else's, and cannot be granted to keys. What a lasting one
 * allows outlasts the call: nobody does it who was let in on a credential that has ended a moment ago.
 */
export type Permissions = Readonly<Record<Permission, Allowed>>

/** All that the domains declare, for whoever grants some of it. */
export const declaredPermissions = defineNeed<Permissions>('declaredPermissions')

/** Why somebody whose credential is good is refused, beside a permission that is lacking. */
export const ACCESS_ERRORS = errorKinds({
  PASSWORD_CHANGE_REQUIRED: {
    status: 403,
    meaning: 'The password is a temporary one, with which nothing can be done but choosing another.',
    remedy: 'Call changePassword.',
  },
  TOKEN_REQUIRED: {
    status: 403,
    meaning: 'Only the programs of agencies can do this.',
    remedy: 'Call the agency API with a token of an agency.',
  },
  SESSION_REQUIRED: {
    status: 403,
    meaning: 'Only a person who has signed in can do this.',
    remedy: 'Call login and send its token.',
  },
})

/** The declared permissions that a list of granted words, wildcards among them, comes to. */
export function permissionsHeld(granted: readonly string[], declared: Permissions): ReadonlySet<string> {
  const names = Object.keys(declared) as Permission[]
  return new Set(names.filter((name) => grants(granted, name, declared)))
}

/** The permissions that operators have, be they theirs alone or not. */
export function operatorPermissions(declared: Permissions): Permission[] {
  return (Object.keys(declared) as Permission[]).filter((name) => says(declared[name]!, 'operatorOnly', 'operatorToo'))
}

const says = (allowed: Allowed, ...words: string[]) =>
  typeof allowed === 'object' && words.some((word) => Object.hasOwn(allowed, word))

/** Whether only an admin, or the command line, grants it. */
export const isAdminOnly = (allowed: Allowed): boolean => says(allowed, 'adminOnly')

/** Whether what it allows outlasts the call. */
export const isLasting = (allowed: Allowed): boolean => says(allowed, 'lasting')

const isForOthers = (allowed: Allowed) => says(allowed, 'operatorOnly', 'tokenOnly')

function grants(granted: readonly string[], needed: Permission, declared: Permissions): boolean {
  if (isForOthers(declared[needed]!)) return false
  if (granted.includes(needed)) return true
  if (isAdminOnly(declared[needed]!)) return false
  return granted.includes('*') || granted.includes(`${needed.slice(0, needed.indexOf(':'))}:*`)
}

/** Whether a word can be granted: a declared permission, `*`, or `resource:*` of a resource that has some. */
export function isGrantable(word: string, declared: Permissions): boolean {
  if (word === '*') return true
  if (Object.hasOwn(declared, word)) return !isForOthers(declared[word as Permission]!)
  const names = Object.keys(declared) as Permission[]
  return word.endsWith(':*') && names.some((name) => name.startsWith(word.slice(0, -1)) && isGrantable(name, declared))
}

/** Throws INSUFFICIENT_PERMISSIONS unless the viewer holds the permission. */
export function requirePermission(viewer: Viewer, needed: Permission): void {
  if (viewer.held.has(needed)) return
  requireOwnPassword(viewer)
  if (viewer.actor.kind === 'agency_token') {
    throw new AppError('INSUFFICIENT_PERMISSIONS', `This token lacks the scope ${needed}.`)
  }
  const who = viewer.actor.kind === 'api_key' ? 'This key lacks' : 'You lack'
  throw new AppError('INSUFFICIENT_PERMISSIONS', `${who} the permission ${needed}.`, {
    extra: { requiredPermission: needed },
  })
}

/** Throws INSUFFICIENT_PERMISSIONS unless the viewer holds all of them: nobody gives, or rules over, more than they have. */
export function requireAll(viewer: Viewer, needed: Iterable<Permission>): void {
  if (viewer.actor.kind === 'command') return // whoever has the command line has everything
  for (const permission of needed) requirePermission(viewer, permission)
}

/** What an operator has who may see all that agencies may see of their own. */
const SEES_AGENCIES: Permission = 'agencies:read'

/**
 * What a root field demands: a permission, any valid credential, any token of an agency or an operator who sees all of
 * them, the session of a person – a fresh one may have a temporary password – or nothing.
 */
export type Access = Permission | 'any' | 'agency' | 'session' | 'fresh_session' | 'public'

/** Whether access takes a permission. */
export const isPermission = (access: Access): access is Permission => /[:.]/.test(access)

/** Throws the 403 that a root field's demand comes to for this viewer, if it may not. */
export function requireAccess(viewer: Viewer, access: Access): void {
  if (access === 'public') return
  if (access !== 'fresh_session') requireOwnPassword(viewer)
  if (isPermission(access)) requirePermission(viewer, access)
  else if (access === 'agency') {
    if (viewer.agencyId === undefined && !viewer.held.has(SEES_AGENCIES))
      throw new AppError(ACCESS_ERRORS.TOKEN_REQUIRED, 'Only agencies can do this.')
  } else if (access !== 'any' && viewer.actor.kind !== 'session') {
    throw new AppError(ACCESS_ERRORS.SESSION_REQUIRED, 'Only a person who has signed in can do this: call login.')
  }
}

function requireOwnPassword({ mustChangePassword }: Viewer): void {
  if (!mustChangePassword) return
  const message = 'Your password is a temporary one: choose another with changePassword before anything else.'
  throw new AppError(ACCESS_ERRORS.PASSWORD_CHANGE_REQUIRED, message)
}

/** Declares what a root field demands; the REST route and the OpenAPI document read it from there. */
export function Requires(access: Access): MethodDecorator {
  return Extensions({ access }) as MethodDecorator
}

/**
 * Declares what it takes to see any field of a record's type, along whatever path it is reached. A type that is no record,
 * such as a page, demands nothing beyond a key: what it leads to has permissions of its own.
 */
export function ReadWith(access: Permission | 'any'): ClassDecorator {
  return Extensions({ access }) as ClassDecorator
}
