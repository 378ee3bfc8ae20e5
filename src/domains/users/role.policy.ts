import type { Permission } from '../../kit/permissions.js'
import { UserRole } from './user.entity.js'

const seller: readonly Permission[] = [
  'contacts:read',
  'contacts:write',
  'opportunities:read',
  'opportunities:write',
  'conversations:read',
  'campaigns:read',
  'pipelines:read',
  'sectors:read',
  'tags:read',
  'discard_reasons:read',
  'products:read',
  'users:read',
  'reports:read',
  'mail:read',
  'flows:read',
  'flows:enroll',
]

const manager: readonly Permission[] = [
  ...seller,
  'contacts:delete',
  'opportunities:delete',
  'campaigns:write',
  'tags:write',
  'instagram_agents:read',
  'instagram_agents:write',
  'agents:read',
  'knowledge:read',
  'channels:read',
  'mail:write',
  'flows:write',
]

const admin: readonly Permission[] = [
  ...manager,
  'settings:write',
  'users:write',
  'keys:write',
  'audit:read',
  'conversations:write',
  'agents:run',
  'agent_tools:execute',
]

/** What each role may do, in the permissions that keys have; a seller within its own records. */
const ROLES: Readonly<Record<UserRole, ReadonlySet<Permission>>> = {
  [UserRole.SELLER]: new Set(seller),
  [UserRole.MANAGER]: new Set(manager),
  [UserRole.ADMIN]: new Set(admin),
}

/** The permissions of whoever has the role. */
export const permissionsOfRole = (role: UserRole): ReadonlySet<Permission> => ROLES[role]
