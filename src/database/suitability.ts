import type { Database } from './database.js'

const MIN_VERSION = 14

interface Server {
  encoding: string
  version: number
}

/** Why a database of somebody else's cannot be used at all, in a sentence that ends with what to do; undefined if it can. */
export async function unsuitability({ pool }: Database): Promise<string | undefined> {
  const { rows } = await pool.query<Server>(
    `select current_setting('server_encoding') as encoding, current_setting('server_version_num')::int / 10000 as version`,
  )
  return fault(rows[0]!)
}

/** What is wrong with a server that says this of itself. */
export function fault({ encoding, version }: Server): string | undefined {
  if (version < MIN_VERSION) return `the server is PostgreSQL ${version}, and must be ${MIN_VERSION} or later`
  if (encoding === 'UTF8') return undefined
  return `the database is in ${encoding}, and must be in UTF8: create one with encoding 'UTF8' template template0`
}
