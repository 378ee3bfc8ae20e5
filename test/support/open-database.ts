import { PassThrough } from 'node:stream'
import { type Config, readConfig } from '../../src/config.js'
import type { Database } from '../../src/database/index.js'
import { createLogger } from '../../src/http/index.js'
import { openDatabase } from '../../src/open-database.js'
import { createDatabase } from './cluster.js'

/** Opens a database as the product does, with all that it provides, and logs nothing. */
export function openSilently(url: string, settings: Partial<Config> = {}): Promise<Database> {
  const logger = createLogger('silent', new PassThrough().resume())
  return openDatabase(url, { ...readConfig({}), ...settings }, logger)
}

/** A database of its own with the product's entities, for tests below HTTP. */
export async function openTestDatabase(): Promise<{ database: Database; stop(): Promise<void> }> {
  const own = await createDatabase()
  const database = await openSilently(own.url, { rowSecurity: true })
  await database.prepare()
  return {
    database,
    stop: async () => {
      await database.close()
      await own.drop()
    },
  }
}
