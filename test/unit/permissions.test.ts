import { assembly } from '../../src/assembly.js'
import { isGrantable, type Permission, permissionsHeld, requirePermission } from '../../src/kit/permissions.js'

const { permissions } = assembly
const scopes = (Object.keys(permissions) as Permission[]).filter((name) => name.includes('.'))
const operatorOnly: Permission[] = ['agencies:read', 'agencies:write']
const others = [...scopes, ...operatorOnly]
const all = (Object.keys(permissions) as Permission[]).filter((name) => !others.includes(name))
const adminOnly: Permission[] = ['conversations:write', 'agents:run', 'agent_tools:execute']
const ordinary = all.filter((permission) => !adminOnly.includes(permission))
const held = (...granted: string[]) => [...permissionsHeld(granted, permissions)]

test('just those are kept from wildcards that only an admin grants', () => {
  const kept = all.filter((name) => JSON.stringify(permissions[name]).includes('"adminOnly":true'))
  expect(kept.sort()).toEqual(adminOnly.sort())
  expect(all).toHaveLength(34)
})

test.each(all)('%s is granted by its own name and not by any other', (permission) => {
  expect(held(permission)).toEqual([permission])
})

test('* grants everything but what only an admin grants', () => {
  expect(held('*')).toEqual(ordinary)
})

test.each([...new Set(all.map((permission) => permission.split(':')[0]!))])(
  '%s:* grants what there is of that resource, but not what only an admin grants',
  (resource) => {
    const expected = ordinary.filter((permission) => permission.split(':')[0] === resource)
    expect(held(`${resource}:*`)).toEqual(expected)
  },
)

test.each(adminOnly)('%s is granted only by name', (permission) => {
  expect(held('*', `${permission.split(':')[0]}:*`)).not.toContain(permission)
  expect(held('*', permission)).toContain(permission)
})

test('what a token of an agency, or an operator alone, may do is granted to no key', () => {
  expect(scopes).toHaveLength(4)
  for (const name of others) {
    expect(isGrantable(name, permissions)).toBe(false)
    expect(held('*', name, 'sub_account.*', 'agencies:*')).not.toContain(name)
  }
})

test('nothing grants nothing', () => {
  expect(held()).toEqual([])
})

test.each([...all, '*', 'contacts:*', 'instagram_agents:*'])('%s can be granted', (word) => {
  expect(isGrantable(word, permissions)).toBe(true)
})

test.each([
  '',
  ':*',
  'contacts',
  'contacts:',
  'contact:*',
  'contacts:fly',
  '*:read',
  'CONTACTS:READ',
  '**',
  'toString',
])('%j cannot be granted', (word) => {
  expect(isGrantable(word, permissions)).toBe(false)
})

test('a missing permission is named in the error', () => {
  const actor = { kind: 'api_key', id: '', name: '' } as const
  const viewer = { accountId: '', permissions: ['tags:*'], held: new Set(['tags:read', 'tags:write']), actor }
  expect(() => requirePermission(viewer, 'tags:read')).not.toThrow()
  expect(() => requirePermission(viewer, 'contacts:read')).toThrow(
    expect.objectContaining({ code: 'INSUFFICIENT_PERMISSIONS', extra: { requiredPermission: 'contacts:read' } }),
  )
})
