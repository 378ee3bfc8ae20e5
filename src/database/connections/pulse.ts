import type pg from 'pg'
import { backendOf, cut } from './driver.js'

/** What backends do, by their numbers, as pg_stat_activity tells it; those that are not there are left out. */
export type Backends = ReadonlyMap<number, string>

// Counted in ticks, so that a process that itself had no time does not take the database for silent.
const TICK_MS = 100
const BEAT_TICKS = 30

const LOOK = `select pg_backend_pid() as own, array(
  select json_build_object('pid', pid, 'state', state) from pg_stat_activity where pid = any($1::int[])) as found`

interface Look {
  own: number
  found: { pid: number; state: string | null }[]
}

const UNKNOWN = 'unknown'
const unknown = (pids: readonly number[]): Backends => new Map(pids.map((pid) => [pid, UNKNOWN]))

/** Feels whether the database answers, each time by a connection of its own: one that is there may be dead. */
export class Pulse {
  constructor(private readonly connect: () => pg.Client) {}

  /**
   * Resolves with what these backends do when the database answers within three seconds, and with undefined when it does
   * not. That is unknown where a proxy gives the connections numbers of its own.
   */
  async beat(pids: readonly number[]): Promise<Backends | undefined> {
    const client = this.connect()
    client.on('error', () => {})
    let ticks = 0
    const timer = setInterval(() => {
      if (++ticks === BEAT_TICKS) cut(client)
    }, TICK_MS)
    try {
      await client.connect()
      const { rows } = await client.query<Look>(LOOK, [pids])
      const { own, found } = rows[0]!
      const real = own === backendOf(client)
      return real ? new Map(found.map(({ pid, state }) => [pid, state ?? UNKNOWN])) : unknown(pids)
    } catch (error) {
      // A server that refuses a connection, because it has too many, answers.
      return /^53/.test(String((error as { code?: unknown }).code)) ? unknown(pids) : undefined
    } finally {
      clearInterval(timer)
      void client.end().catch(() => {})
    }
  }
}
