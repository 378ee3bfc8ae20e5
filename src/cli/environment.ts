import { type Config, ConfigError, readConfig } from '../config.js'
import type { Database } from '../database/index.js'
import type { EmbeddedPostgres } from '../embedded-postgres/index.js'
import type { Logger } from '../http/index.js'
import { giveWay } from '../shared/priority.js'

/** What a command works with. */
export interface Environment {
  config: Config
  logger: Logger
  database: Database
  /** Where the database is, for what needs connections of its own. */
  url: string
  /** The migrations that were applied for this command. */
  migrated: string[]
}

interface Options {
  /**
   * Whether to apply migrations first; by default only to the embedded database, which is nobody else's. If not, a
   * database that lacks some is an error.
   */
  migrate?: boolean
  /** Whether this process comes after what answers calls. */
  givesWay?: boolean
  /** Ends the wait for another process that migrates. */
  signal?: AbortSignal
  /** Overrides of settings by command line. */
  settings?: Partial<Config>
}

/** Runs a command's work with the database open, and closes everything behind it, whatever happens. */
export async function withEnvironment<T>(options: Options, work: (environment: Environment) => Promise<T>): Promise<T> {
  const config: Config = { ...readConfig(), ...options.settings }
  if (options.givesWay && config.databaseUrl) giveWay()
  // Only now, so that help, misuse and bad settings need not wait for the whole program to load.
  const [{ openDatabase }, { migrate, requireMigrated, unsuitability }, { createLogger }] = await Promise.all([
    import('../open-database.js'),
    import('../database/index.js'),
    import('../http/log.js'),
  ])
  const logger = createLogger(config.logLevel)
  for (const notice of config.notices) logger.warn(notice)
  const embedded = config.databaseUrl ? undefined : await acquireEmbedded(config.dataDir, logger)
  try {
    // Not before: an embedded database that this process had to start is not to come last.
    if (options.givesWay) giveWay()
    const address = config.databaseUrl ?? embedded!.url
    const database = await openDatabase(address, config, logger, embedded?.Client)
    const url = config.databaseDirectUrl ?? address
    try {
      const unsuitable = await unsuitability(database)
      if (unsuitable) throw new ConfigError(`DATABASE_URL: ${unsuitable}`)
      const applies = options.migrate ?? embedded !== undefined
      const migrated = applies ? await migrate(database, url, options.signal) : []
      if (migrated.length > 0) logger.info({ migrations: migrated }, 'migrated')
      if (!applies) await requireMigrated(database)
      return await work({ config, logger, database, url, migrated })
    } finally {
      await database.close()
    }
  } finally {
    await embedded?.release()
  }
}

async function acquireEmbedded(dataDir: string, logger: Logger): Promise<EmbeddedPostgres> {
  const { acquireEmbeddedPostgres, DataFolderError } = await import('../embedded-postgres/index.js')
  const log = (message: string) => logger.info(message)
  try {
    return await acquireEmbeddedPostgres({ dataDir, name: 'fairlead', log })
  } catch (error) {
    if (error instanceof DataFolderError) throw new ConfigError(`DATA_DIR: ${error.message}`)
    throw error
  }
}
