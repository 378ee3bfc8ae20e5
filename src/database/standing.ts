import { defineNeed } from './needs.js'
import type { Scope } from './scope.js'

/**
 * Throws, inside the open transaction, unless the viewer's credential is in force at this moment and still comes to this
 * permission; until the transaction ends nobody takes it away.
 */
export type RequireStanding = (db: Scope, permission: string) => Promise<void>

/** What looks at the standing of viewers; the domains that know their credentials provide it. */
export const requireStanding = defineNeed<RequireStanding>('requireStanding')
