import type { MikroORM } from '@mikro-orm/postgresql'
import pg from 'pg'

// One number for all processes; the lock is held by a connection of its own, so it is free again when the process dies.
const MIGRATION_LOCK = 471_100

/** Applies what is pending and returns its names. Processes that do it at the same time wait for each other. */
export async function migrate(orm: MikroORM, url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url, application_name: 'fairlead migrate' })
  client.on('error', () => {}) // a loss shows as the failure of the statement under way
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
    const applied = await orm.migrator.up()
    return applied.map(({ name }) => name)
  } finally {
    await client.end()
  }
}
