import {
  ADMIN_ONLY,
  grants,
  isGrantable,
  PERMISSIONS,
  type Permission,
  requirePermission,
} from '../../src/kit/permissions.js'

const all = Object.keys(PERMISSIONS) as Permission[]
const ordinary = all.filter((permission) => !ADMIN_ONLY.includes(permission))

test.each(all)('%s is granted by its own name and not by any other', (permission) => {
  expect(grants([permission], permission)).toBe(true)
  expect(all.filter((needed) => grants([permission], needed))).toEqual([permission])
})

test('* grants everything but what only an admin grants', () => {
  expect(all.filter((needed) => grants(['*'], needed))).toEqual(ordinary)
})

test.each([...new Set(all.map((permission) => permission.split(':')[0]!))])(
  '%s:* grants what there is of that resource, but not what only an admin grants',
  (resource) => {
    const expected = ordinary.filter((permission) => permission.split(':')[0] === resource)
    expect(all.filter((needed) => grants([`${resource}:*`], needed))).toEqual(expected)
  },
)

test.each(ADMIN_ONLY)('%s is granted only by name', (permission) => {
  expect(grants(['*', `${permission.split(':')[0]}:*`], permission)).toBe(false)
  expect(grants(['*', permission], permission)).toBe(true)
})

test('nothing grants nothing', () => {
  expect(all.filter((needed) => grants([], needed))).toEqual([])
})

test.each([...all, '*', 'contacts:*', 'instagram_agents:*'])('%s can be granted', (word) => {
  expect(isGrantable(word)).toBe(true)
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
  expect(isGrantable(word)).toBe(false)
})

test('a missing permission is named in the error', () => {
  const viewer = { accountId: '', permissions: ['tags:*'], actor: { kind: 'api_key', id: '', name: '' } } as const
  expect(() => requirePermission(viewer, 'tags:read')).not.toThrow()
  expect(() => requirePermission(viewer, 'contacts:read')).toThrow(
    expect.objectContaining({ code: 'INSUFFICIENT_PERMISSIONS', extra: { requiredPermission: 'contacts:read' } }),
  )
})
