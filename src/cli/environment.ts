import { openDatabase } from '../app.js'
import { type Config, readConfig } from '../config.js'
import { acquireEmbeddedPostgres } from '../database/embedded/index.js'
import { type Database, migrate } from '../database/index.js'
import { createLogger, type Logger } from '../http/index.js'

/** What a command works with. */
export interface Environment {
  config: Config
  logger: Logger
  database: Database
  /** Where the database is, for what needs a connection of its own. */
  url: string
}

interface Options {
  /** Whether to apply migrations first; by default only to the embedded database, which is nobody else's. */
  migrate?: boolean
  /** Overrides of settings by command line. */
  settings?: Partial<Config>
}

/** Runs a command's work with the database open, and closes everything behind it, whatever happens. */
export async function withEnvironment<T>(options: Options, work: (environment: Environment) => Promise<T>): Promise<T> {
  const config: Config = { ...readConfig(), ...options.settings }
  const logger = createLogger(config.logLevel)
  const embedded = config.databaseUrl
    ? undefined
    : await acquireEmbeddedPostgres({ dataDir: config.dataDir, log: (message) => logger.info(message) })
  try {
    const url = config.databaseUrl ?? embedded!.url
    const database = await openDatabase(url, config, logger)
    try {
      if (options.migrate ?? embedded !== undefined) await applyMigrations(database, url, logger)
      return await work({ config, logger, database, url })
    } finally {
      await database.close()
    }
  } finally {
    await embedded?.release()
  }
}

/** Applies pending migrations and says which. */
export async function applyMigrations(database: Database, url: string, logger: Logger): Promise<string[]> {
  const applied = await migrate(database.orm, url)
  if (applied.length > 0) logger.info({ migrations: applied }, 'migrated')
  return applied
}
