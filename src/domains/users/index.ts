import { within } from '../../database/index.js'
import { defineDomain } from '../../kit/domain.js'
import { accountCreated, accounts } from '../accounts/index.js'
import { reference } from '../reference/index.js'
import { addFirstAdmin } from './first-admin.service.js'
import { User } from './user.entity.js'
import { UserResolver } from './user.resolver.js'

export { activateFirstAdmin, nameFirstAdmin, shutOutUsers } from './first-admin.service.js'
export { permissionsOfRole } from './role.policy.js'
export { User, UserRole } from './user.entity.js'
export { userActivated, userDeactivated, userRemoved } from './user.facts.js'
export { userReads } from './user.reads.js'
export { createUser } from './user.service.js'

/** The people who work in an account. */
export const users = defineDomain({
  name: 'users',
  uses: [accounts, reference],
  entities: [User],
  resolvers: [UserResolver],
  permissions: { 'users:read': 'list users', 'users:write': { allows: 'manage users', lasting: true } },
  on: [within(accountCreated, addFirstAdmin)],
  demo: () => import('./demo/index.js'),
})
