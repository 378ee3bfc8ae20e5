import type { Context } from '../database/index.js'
import type { Constraints } from '../kit/constraints.js'
import { requireAccess, requirePermission } from '../kit/permissions.js'
import type { Endpoint } from './operation.js'

/** What an argument demands beside its root field counts before any fault of the inputs. */
export function requireForArguments(
  { parameters }: Endpoint,
  { viewer }: Context,
  variables: Record<string, unknown>,
): void {
  for (const { name, rule } of parameters) {
    const access = (rule?.extensions as Constraints | undefined)?.access
    if (access && variables[name]) requirePermission(viewer, access)
  }
}

/** What the root field demands, and what its answer shows. */
export function requireAllowed({ operation: { access }, mount: { needs } }: Endpoint, { viewer }: Context): void {
  requireAccess(viewer, access)
  for (const permission of needs) requirePermission(viewer, permission)
}
