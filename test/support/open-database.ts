import { PassThrough } from 'node:stream'
import { readConfig } from '../../src/config.js'
import type { Database } from '../../src/database/index.js'
import { createLogger } from '../../src/http/index.js'
import { openDatabase } from '../../src/open-database.js'
import { createDatabase } from './cluster.js'

/** A database of its own with the product's entities, for tests below HTTP. */
export async function openTestDatabase(): Promise<{ database: Database; stop(): Promise<void> }> {
  const own = await createDatabase()
  const sink = new PassThrough().resume()
  const database = await openDatabase(own.url, { ...readConfig({}), rowSecurity: true }, createLogger('silent', sink))
  await database.prepare()
  return {
    database,
    stop: async () => {
      await database.close()
      await own.drop()
    },
  }
}
