import type pg from 'pg'
import { awaitedBy, backendOf } from './driver.js'
import type { Backends } from './pulse.js'

/** What is known of the answer that a connection in use waits for. */
export interface Awaiting {
  /** The answer that was waited for when it was last looked at, null for none, and since when. */
  awaited: object | null
  since: number
  /** How often its backend was found to know nothing of what is waited for. */
  strange: number
}

/** What a backend does that works on a statement. */
const BUSY: ReadonlySet<string> = new Set(['active', 'fastpath function call', 'unknown'])
const STRANGE_TIMES = 2

/** Looks at what a connection waits for; whether it is still the same answer. */
export function stillAwaits(awaiting: Awaiting, client: pg.PoolClient, now: number): boolean {
  const awaited = awaitedBy(client)
  if (awaited !== null && awaited === awaiting.awaited) return true
  Object.assign(awaiting, { awaited, since: now, strange: 0 })
  return false
}

/**
 * Whether what a connection waits for will not come: a backend that does nothing, or is not there, each time that it is
 * looked at has never got the statement, or its answer got lost.
 */
export function isLost(awaiting: Awaiting, client: pg.PoolClient, backends: Backends): boolean {
  const isBusy = BUSY.has(backends.get(backendOf(client)) ?? '')
  awaiting.strange = isBusy ? 0 : awaiting.strange + 1
  return awaiting.strange >= STRANGE_TIMES
}
