import type pg from 'pg'
import type { Logger } from 'pino'
import { assembly } from './assembly.js'
import type { Config } from './config.js'
import { Database } from './database/index.js'

/** Opens the database with the product's entities, and tells it who listens to what; its connections are of the class. */
export function openDatabase(
  url: string,
  config: Config,
  logger: Logger,
  Client?: typeof pg.Client,
): Promise<Database> {
  const { poolSize, acquireTimeoutMs, statementMs, lockMs, rowSecurity } = config
  return Database.open({
    url,
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
}
