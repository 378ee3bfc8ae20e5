import { assembly } from '../../src/assembly.js'
import { permissionsOfRole, UserRole } from '../../src/domains/users/index.js'
import { operatorPermissions, permissionsHeld } from '../../src/kit/permissions.js'
import { GRANTABLE } from '../support/permissions.js'

const { permissions } = assembly
const of = (role: UserRole) => [...permissionsOfRole(role)]

test('admins hold every permission but those of operators and of agencies', () => {
  expect(of(UserRole.ADMIN).sort()).toEqual(GRANTABLE.toSorted())
})

test('managers hold what wildcards grant, without what manages the account itself', () => {
  const kept = ['settings:write', 'users:write', 'keys:write', 'audit:read']
  const expected = [...permissionsHeld(['*'], permissions)].filter((name) => !kept.includes(name))
  expect(of(UserRole.MANAGER).sort()).toEqual(expected.sort())
})

test('sellers write contacts and opportunities, have contacts begin flows, and else only read', () => {
  const writes = of(UserRole.SELLER).filter((name) => !name.endsWith(':read'))
  expect(writes).toEqual(['contacts:write', 'opportunities:write', 'flows:enroll'])
  for (const one of of(UserRole.SELLER)) expect(of(UserRole.MANAGER)).toContain(one)
})

test('what is for operators alone can be granted to nobody', () => {
  const declared = { ...permissions, 'agencies:read': { allows: 'look', operatorOnly: true } } as const
  expect(permissionsHeld(['*', 'agencies:*', 'agencies:read'], declared).has('agencies:read')).toBe(false)
  expect(operatorPermissions(declared)).toContain('agencies:read')
})
