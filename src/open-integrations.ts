import type { Database } from './database/index.js'
import { SandboxBilling } from './integrations/billing/index.js'
import type { Integrations } from './kit/integrations.js'

/** The services outside, as the settings say which stand behind their interfaces. */
export function openIntegrations(database: Database): Integrations {
  return { billing: new SandboxBilling(database) }
}
