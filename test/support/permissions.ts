import { assembly } from '../../src/assembly.js'
import { isGrantable, type Permission } from '../../src/kit/permissions.js'

/** Every permission that a key can have: those of operators and of agencies' tokens are none. */
export const GRANTABLE = (Object.keys(assembly.permissions) as Permission[]).filter((one) =>
  isGrantable(one, assembly.permissions),
)
