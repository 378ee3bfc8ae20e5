import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '../../database/index.js'
import { asTrace } from '../../kit/traced.js'
import {
  type ClaimedNotice,
  claimNotices,
  forgetNotices,
  postponeNotice,
  recordNotice,
  releaseNotices,
} from './record.service.js'

/** What records in the background what was told. */
export interface InboxWorkerOptions {
  database: Database
  log: (error: unknown, noticeId?: string) => void
  /** Milliseconds between two looks for what is due. */
  pollMs?: number
}

const POLL_MS = 250
const CLAIMED = 64
// Each takes a connection of the pool while it runs.
const AT_ONCE = 4
const STOP_MS = 5000

/**
 * Records what providers have told, until stopped: of one person or group one thing after the other, of several at once.
 * However many processes do so, each notice is recorded by one of them at a time, and what is recorded twice, because
 * one died in between, is passed over.
 */
export function startInboxWorker({ database, log, pollMs = POLL_MS }: InboxWorkerOptions): { stop(): Promise<void> } {
  const ended = new AbortController()

  const record = async (notice: ClaimedNotice): Promise<string[]> => {
    try {
      await asTrace(database, 'record notice', {}, () => recordNotice(database, notice))
      return [notice.id]
    } catch (error) {
      log(error, notice.id)
      await postponeNotice(database, notice)
      return []
    }
  }

  const work = async (waiting: ClaimedNotice[]): Promise<string[]> => {
    const done: string[] = []
    while (waiting.length > 0 && !ended.signal.aborted) done.push(...(await record(waiting.shift()!)))
    return done
  }

  const loop = async () => {
    while (!ended.signal.aborted) {
      let busy = false
      try {
        const claimed = await claimNotices(database, CLAIMED)
        busy = claimed.length > 0
        const done = await Promise.all(Array.from({ length: AT_ONCE }, () => work(claimed)))
        await forgetNotices(database, done.flat())
        // Once it is stopped, what was claimed and not begun is for others.
        await releaseNotices(database, claimed)
      } catch (error) {
        log(error)
      }
      if (!busy) await delay(pollMs, undefined, { signal: ended.signal, ref: false }).catch(() => {})
    }
  }
  const looping = loop()

  return {
    stop: async () => {
      ended.abort()
      await Promise.race([looping, delay(STOP_MS, undefined, { ref: false })])
    },
  }
}
