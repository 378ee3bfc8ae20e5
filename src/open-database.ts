import type pg from 'pg'
import type { Logger } from 'pino'
import { assembly } from './assembly.js'
import type { Config } from './config.js'
import { Database, requireStanding } from './database/index.js'
import { apiKeyCredentials, type CredentialKind, requestCounter, standingOf } from './domains/accounts/index.js'
import { agencyTokenCredentials } from './domains/agencies/index.js'
import { messagingChannels } from './domains/channels/index.js'
import { domainKeys, sendNow, sendStored } from './domains/mail/index.js'
import { settleActions } from './domains/opportunities/index.js'
import { mailer, type SessionSettings, sessionCredentials, sessionSettings } from './domains/sessions/index.js'
import { composer, dailyTokens } from './domains/workflows/index.js'
import { openCipher } from './encryption-key.js'
import { openTraces } from './integrations/traces/index.js'
import { declaredActions } from './kit/action.js'
import { cipher } from './kit/cipher.js'
import { errorLog } from './kit/error-log.js'
import { promised } from './kit/later.js'
import { declaredPermissions } from './kit/permissions.js'
import { traces } from './kit/traced.js'
import { openChannels, openComposer, openCounter, openDomainKeys, openMailer } from './open-integrations.js'

/** Opens the database with the product's entities, and tells it who listens to what; its connections are of the class. */
export async function openDatabase(
  url: string,
  config: Config,
  logger: Logger,
  Client?: typeof pg.Client,
): Promise<Database> {
  const { poolSize, acquireTimeoutMs, statementMs, lockMs, rowSecurity } = config
  const database = await Database.open({
    url,
    pooled: config.databasePooler === 'transaction',
    directUrl: config.databaseDirectUrl,
    Client,
    entities: assembly.entities,
    subscribers: assembly.on,
    poolSize,
    acquireTimeoutMs,
    statementMs,
    lockMs,
    rowSecurity,
    log: (level, message) => logger[level](message),
  })
  const settings = sessionSettingsOf(config)
  database.needs.provide(sessionSettings, settings)
  const sending = openMailer(config, settings.publicUrl)
  database.needs.provide(mailer, sending, () => sending.close())
  database.needs.provide(domainKeys, openDomainKeys(config))
  const counter = openCounter(database, config, (level, message) => logger[level](message))
  database.needs.provide(requestCounter, counter, () => counter.close())
  database.needs.provide(cipher, openCipher(config))
  const messaging = openChannels(config)
  database.needs.provide(messagingChannels, messaging, () => {
    for (const channel of Object.values(messaging)) channel.close()
  })
  database.needs.provide(sendNow, (accountId, mailId) => sendStored(database, accountId, mailId))
  database.needs.provide(composer, openComposer(config))
  database.needs.provide(dailyTokens, config.ai?.dailyTokens ?? null)
  database.needs.provide(declaredPermissions, assembly.permissions)
  database.needs.provide(declaredActions, assembly.actions)
  database.needs.provide(promised, settleActions)
  database.needs.provide(requireStanding, standingOf(credentialKinds(config)))
  if (config.traces) {
    const telling = await openTraces(config.traces, (level, message) => logger[level](message))
    database.needs.provide(traces, telling, () => telling.close())
  }
  database.needs.provide(errorLog, (err, message) => logger.error({ err }, message))
  return database
}

/** What the domain of sessions is told of the settings. */
export function sessionSettingsOf(config: Config): SessionSettings {
  return {
    idleHours: config.sessionIdleHours,
    maxHours: config.sessionMaxHours,
    rateLimit: config.sessionRateLimit,
    publicUrl: config.publicUrl ?? `http://127.0.0.1:${config.port}`,
  }
}

/** What callers may call with. */
export function credentialKinds(config: Config): CredentialKind[] {
  const { permissions } = assembly
  return [
    apiKeyCredentials(permissions),
    agencyTokenCredentials,
    sessionCredentials(permissions, sessionSettingsOf(config)),
  ]
}
