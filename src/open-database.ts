import type { Logger } from 'pino'
import type { Config } from './config.js'
import { Database } from './database/index.js'
import { entities } from './domains/index.js'

/** Opens the database with the product's entities. */
export function openDatabase(url: string, config: Config, logger: Logger): Promise<Database> {
  const { poolSize, acquireTimeoutMs, rowSecurity } = config
  return Database.open({
    url,
    entities,
    poolSize,
    acquireTimeoutMs,
    rowSecurity,
    log: (level, message) => logger[level](message),
  })
}
