import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '../../database/index.js'
import { mailer } from '../sessions/index.js'
import { type ClaimedMail, claimMails, giveUpAbandoned, releaseMails, sendClaimed } from './send.service.js'

/** What sends mails in the background. */
export interface MailWorkerOptions {
  database: Database
  log: (error: unknown, mailId?: string) => void
  /** Milliseconds between two looks for what is due. */
  pollMs?: number
}

const POLL_MS = 500
const STOP_MS = 5000

/**
 * Sends the mails that are due, until stopped, as many at once as the mailer takes. However many processes do so, each
 * mail is claimed by one of them, and from then on sent once or never.
 */
export function startMailWorker({ database, log, pollMs = POLL_MS }: MailWorkerOptions): { stop(): Promise<void> } {
  const { atOnce } = database.needs.get(mailer)
  const running = new Set<Promise<void>>()
  const ended = new AbortController()
  let waiting: ClaimedMail[] = []
  let woken = () => {}

  const begin = (mail: ClaimedMail) => {
    const run = sendClaimed(database, mail)
      .then(() => {})
      .catch((error) => log(error, mail.id))
      .finally(() => {
        running.delete(run)
        woken()
      })
    running.add(run)
  }

  const fill = async (): Promise<boolean> => {
    // One statement claims for every place once more, so that no place waits for it.
    if (waiting.length === 0 && !ended.signal.aborted) waiting = await claimMails(database, atOnce * 2)
    while (running.size < atOnce && waiting.length > 0) begin(waiting.shift()!)
    return waiting.length > 0 || running.size === atOnce
  }

  const loop = async () => {
    while (!ended.signal.aborted) {
      const wake = new Promise<void>((resolve) => {
        woken = resolve
      })
      let busy = false
      try {
        busy = await fill()
        if (!busy) await giveUpAbandoned(database)
      } catch (error) {
        log(error)
      }
      const rest = delay(pollMs, undefined, { signal: ended.signal, ref: false }).catch(() => {})
      await Promise.race(busy ? [wake] : [wake, rest])
    }
    await releaseMails(database, waiting.splice(0)).catch((error) => log(error))
    await Promise.all(running)
  }
  const looping = loop()

  return {
    stop: async () => {
      ended.abort()
      woken()
      await Promise.race([looping, delay(STOP_MS, undefined, { ref: false })])
    },
  }
}
