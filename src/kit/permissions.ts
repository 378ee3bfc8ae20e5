import { Extensions } from 'type-graphql'
import { AppError } from '../shared/errors.js'
import type { Viewer } from '../shared/viewer.js'

/** What a key may be allowed: a resource and an action, as the domain that owns the resource declares them. */
export type Permission = `${string}:${string}`

/** Permissions with what each allows. Wildcards do not include those that only an admin or the command line grants. */
export type Permissions = Readonly<Record<Permission, string | { allows: string; adminOnly: true }>>

/** The declared permissions that a list of granted words, wildcards among them, comes to. */
export function permissionsHeld(granted: readonly string[], declared: Permissions): ReadonlySet<string> {
  const names = Object.keys(declared) as Permission[]
  return new Set(names.filter((name) => grants(granted, name, declared)))
}

function grants(granted: readonly string[], needed: Permission, declared: Permissions): boolean {
  if (granted.includes(needed)) return true
  if (typeof declared[needed] === 'object') return false
  return granted.includes('*') || granted.includes(`${needed.slice(0, needed.indexOf(':'))}:*`)
}

/** Whether a word can be granted: a declared permission, `*`, or `resource:*` of a resource that has some. */
export function isGrantable(word: string, declared: Permissions): boolean {
  if (word === '*' || Object.hasOwn(declared, word)) return true
  return word.endsWith(':*') && Object.keys(declared).some((known) => known.startsWith(word.slice(0, -1)))
}

/** Throws INSUFFICIENT_PERMISSIONS unless the viewer holds the permission. */
export function requirePermission(viewer: Viewer, needed: Permission): void {
  if (viewer.held.has(needed)) return
  throw new AppError('INSUFFICIENT_PERMISSIONS', `This key lacks the permission ${needed}.`, {
    extra: { requiredPermission: needed },
  })
}

/** What a root field demands: a permission, any valid key, or nothing. */
export type Access = Permission | 'any' | 'public'

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
