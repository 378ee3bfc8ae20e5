import type { EntityManager } from '@mikro-orm/postgresql'
import type pg from 'pg'
import { failureCode } from './failures.js'

const TRANSACTION_ABORTED = '25P02'

/** A transaction that is open. */
export interface Open {
  client: pg.PoolClient
  /** The unit of work, made when somebody asks for it. */
  em?: EntityManager
  /** What was sent without waiting for its end; it must have succeeded when the transaction commits. */
  underWay: Promise<unknown>[]
  /** Whether something was stored that a worker looks for. */
  wakes?: boolean
  /** Records of which this process is to look anew once the transaction is committed. */
  outdated: string[]
}

/** Why a transaction failed: of what was sent without waiting, the first that failed had all that follows it fail too. */
export async function causeOf(
  error: unknown,
  { underWay }: { underWay: readonly Promise<unknown>[] },
): Promise<unknown> {
  if (failureCode(error) !== TRANSACTION_ABORTED) return error
  const ends = await Promise.allSettled(underWay)
  return ends.find((end) => end.status === 'rejected')?.reason ?? error
}

/** A promise that somebody will wait for later: until then its failure is nobody's fault. */
export function settled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}

const FIRST_PAUSE_MS = 20

/** Milliseconds to wait before the next attempt: any up to a bound that doubles, so that those who met do not meet again. */
export const pauseAfter = (attempt: number) => Math.random() * FIRST_PAUSE_MS * 2 ** attempt
