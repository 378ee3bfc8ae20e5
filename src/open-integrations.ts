import { isIP } from 'node:net'
import { join } from 'node:path'
import type { Config } from './config.js'
import type { Database } from './database/index.js'
import { aiComposer, type Composer, scriptedComposer } from './domains/workflows/index.js'
import { SandboxBilling, StripeBilling } from './integrations/billing/index.js'
import { type Channels, SandboxChannel, WhatsAppChannel } from './integrations/channels/index.js'
import { OpenAiChat } from './integrations/chat/index.js'
import { DnsDomainKeys, type DomainKeys, SandboxDomainKeys } from './integrations/dns/index.js'
import { type Mailer, SandboxMailer, SmtpMailer } from './integrations/mail/index.js'
import {
  GuardedCounter,
  LocalCounter,
  PostgresCounter,
  RedisCounter,
  type RequestCounter,
} from './integrations/rate-limits/index.js'
import type { Integrations } from './kit/integrations.js'

// How long a count may take before its connection is given up; the request that it is for does not wait as long.
const COUNT_MS = 1000

/** The services outside, as the settings say which stand behind their interfaces. */
export function openIntegrations(database: Database, { stripe }: Pick<Config, 'stripe'>): Integrations {
  return { billing: stripe ? new StripeBilling(stripe) : new SandboxBilling(database) }
}

/** What sends mail: to the server of SMTP_URL, else into files. The service's own come from the dashboard's host. */
export function openMailer({ dataDir, smtpUrl }: Config, publicUrl: string): Mailer {
  const host = new URL(publicUrl).hostname.replace(/^\[|\]$/g, '')
  const service = { name: 'Fairlead', address: `no-reply@${isIP(host) ? 'localhost' : host}` }
  return smtpUrl ? new SmtpMailer(smtpUrl, service) : new SandboxMailer(join(dataDir, 'outbox'), service)
}

/** The providers of messages: WhatsApp where it is set up, elsewhere the sandbox, which writes down what it would send. */
export function openChannels({ dataDir, whatsapp }: Pick<Config, 'dataDir' | 'whatsapp'>): Channels {
  const folder = join(dataDir, 'outbox')
  return {
    whatsapp: whatsapp ? new WhatsAppChannel(whatsapp.apiBase) : new SandboxChannel(folder, 'whatsapp', true),
    instagram: new SandboxChannel(folder, 'instagram', true),
    linkedin: new SandboxChannel(folder, 'linkedin', false),
  }
}

/** What writes for agents: a model where one is set up, else their own texts. */
export function openComposer({ ai }: Pick<Config, 'ai'>): Composer {
  return ai ? aiComposer(new OpenAiChat(ai)) : scriptedComposer
}

/** Where domains publish their keys; where no mail leaves the machine, nobody is asked. */
export function openDomainKeys({ smtpUrl }: Pick<Config, 'smtpUrl'>): DomainKeys {
  return smtpUrl ? new DnsDomainKeys() : new SandboxDomainKeys()
}

/** Where requests are counted: in Redis, or the database where several processes serve, else in this process. */
export function openCounter(
  database: Database,
  { redisUrl, cluster, rateLimitWaitMs: patienceMs }: Pick<Config, 'redisUrl' | 'cluster' | 'rateLimitWaitMs'>,
  log: (level: 'info' | 'warn', message: string) => void,
): RequestCounter {
  if (redisUrl) return new GuardedCounter(new RedisCounter(redisUrl), { patienceMs, log })
  if (!cluster) return new LocalCounter()
  const pool = database.openAside({
    name: 'counts',
    max: 1,
    answerMs: COUNT_MS,
    options: ['-c synchronous_commit=off'],
  })
  return new GuardedCounter(new PostgresCounter(pool), { patienceMs, log })
}
