import { isIP } from 'node:net'
import { join } from 'node:path'
import type { Config } from './config.js'
import type { Database } from './database/index.js'
import { SandboxBilling, StripeBilling } from './integrations/billing/index.js'
import { type Mailer, SandboxMailer } from './integrations/mail/index.js'
import type { Integrations } from './kit/integrations.js'

/** The services outside, as the settings say which stand behind their interfaces. */
export function openIntegrations(database: Database, { stripe }: Pick<Config, 'stripe'>): Integrations {
  return { billing: stripe ? new StripeBilling(stripe) : new SandboxBilling(database) }
}

/** What sends mail, from an address at the dashboard's host. */
export function openMailer({ dataDir }: Config, publicUrl: string): Mailer {
  const host = new URL(publicUrl).hostname.replace(/^\[|\]$/g, '')
  return new SandboxMailer(join(dataDir, 'outbox'), `Fairlead <no-reply@${isIP(host) ? 'localhost' : host}>`)
}
