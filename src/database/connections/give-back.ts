import type pg from 'pg'

/**
 * Kysely gives a connection back to the pool after a `begin`, `commit` or `rollback` that succeeded, and never after one
 * that failed. A connection that is lost in a transaction would so count as in use for ever, and a few of them would
 * leave the pool without any.
 */
export function giveBackLostConnections(pool: pg.Pool): void {
  const inUse = new Set<pg.PoolClient>()
  pool.on('acquire', (client) => inUse.add(client))
  pool.on('release', (_error, client) => inUse.delete(client))
  pool.on('connect', (client) => {
    client.once('end', () => {
      if (!inUse.has(client)) return
      client.release(true)
      client.release = () => {} // should whoever took it give it back after all
    })
  })
}
