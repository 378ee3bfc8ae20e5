import type pg from 'pg'
import { type Awaiting, isLost, stillAwaits } from './awaiting.js'
import { awaitedBy, backendOf, cut } from './driver.js'
import { Pulse } from './pulse.js'

const LOOK_MS = 1000
/** An answer that takes longer than this is asked after. */
const SLOW_MS = 3000

/**
 * Looks after a pool whose statements may take as long as they like: a connection that waits for an answer of which its
 * backend knows nothing is cut, since a network that has lost the statement, or the answer, tells nobody. What was done
 * over it fails then, and is tried again by whoever does that. That ends with the pool.
 */
export function watchPool(
  pool: pg.Pool,
  connect: () => pg.Client,
  log: (level: 'warn', message: string) => void,
): void {
  const pulse = new Pulse(connect)
  const uses = new Map<pg.PoolClient, Awaiting>()
  pool.on('acquire', (client) => uses.set(client, { awaited: null, since: 0, strange: 0 }))
  pool.on('release', (_error, client) => uses.delete(client))
  pool.on('remove', (client) => uses.delete(client))
  let asking = false

  const look = () => {
    if (pool.ended) clearInterval(looking)
    const now = performance.now()
    for (const [client, use] of uses) stillAwaits(use, client, now)
    const slow = [...uses].filter(([, { awaited, since }]) => awaited && now - since >= SLOW_MS)
    if (slow.length === 0 || asking) return
    asking = true
    void ask(slow).finally(() => {
      asking = false
    })
  }

  const ask = async (slow: readonly [pg.PoolClient, Awaiting][]) => {
    const asked = slow.map(([, { awaited }]) => awaited)
    const backends = await pulse.beat(slow.map(([client]) => backendOf(client)))
    if (!backends) return // it is silent altogether, and may go on with what it has
    for (const [i, [client, use]] of slow.entries()) {
      if (uses.get(client) !== use || awaitedBy(client) !== asked[i]) continue
      if (!isLost(use, client, backends)) continue
      log('warn', 'A connection for background work was dead, and is replaced.')
      cut(client)
    }
  }

  const looking = setInterval(look, LOOK_MS).unref()
}
