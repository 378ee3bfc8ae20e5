import { Extensions } from 'type-graphql'
import { AppError } from '../shared/errors.js'
import type { Viewer } from '../shared/viewer.js'

/** Every permission an API key can hold, with what it allows. */
export const PERMISSIONS = {
  'contacts:read': 'list and read contacts',
  'contacts:write': 'create and change contacts',
  'contacts:delete': 'delete contacts',
  'opportunities:read': 'list and read opportunities',
  'opportunities:write': 'create and change opportunities',
  'opportunities:delete': 'delete opportunities',
  'campaigns:read': 'list campaigns',
  'campaigns:write': 'add contacts to campaigns',
  'instagram_agents:read': 'list Instagram agents',
  'instagram_agents:write': 'add profiles to Instagram agents',
  'pipelines:read': 'list pipelines and their stages',
  'sectors:read': 'list sectors',
  'tags:read': 'list tags',
  'tags:write': 'create tags',
  'discard_reasons:read': 'list discard reasons',
  'products:read': 'list products',
  'users:read': 'list users',
  'conversations:read': 'list conversations and read their messages',
  'conversations:write': 'send messages, add notes and take over conversations',
  'reports:read': 'read the sales reports',
  'knowledge:read': "search an AI employee's knowledge",
  'agents:read': 'list AI employees',
  'agents:run': 'talk to an AI employee in a sandbox',
  'agent_tools:execute': 'run the actions of an AI employee on real contacts',
  'settings:write': 'manage pipelines, campaigns, collection agents, users, owner rules and reference lists',
} as const

export type Permission = keyof typeof PERMISSIONS

/** Granted by name only, and only by an admin or the command line; wildcards do not include them. */
export const ADMIN_ONLY: readonly Permission[] = ['conversations:write', 'agents:run', 'agent_tools:execute']

/** Whether a list of granted permissions, wildcards among them, includes the needed one. */
export function grants(granted: readonly string[], needed: Permission): boolean {
  if (granted.includes(needed)) return true
  if ((ADMIN_ONLY as readonly string[]).includes(needed)) return false
  return granted.includes('*') || granted.includes(`${needed.slice(0, needed.indexOf(':'))}:*`)
}

/** Whether a word can be granted: a permission, `*`, or `resource:*` of a known resource. */
export function isGrantable(word: string): boolean {
  if (word === '*' || Object.hasOwn(PERMISSIONS, word)) return true
  return word.endsWith(':*') && Object.keys(PERMISSIONS).some((known) => known.startsWith(word.slice(0, -1)))
}

/** Throws INSUFFICIENT_PERMISSIONS unless the viewer holds the permission. */
export function requirePermission(viewer: Viewer, needed: Permission): void {
  if (grants(viewer.permissions, needed)) return
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
