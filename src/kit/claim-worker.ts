import { setTimeout as delay } from 'node:timers/promises'
import { Pace } from './pace.js'

/** A table that is its own queue: what is claimed of it is done by this process alone. */
export interface ClaimWorkerOptions<Claimed extends { id: string }> {
  /** How many may be done at once. */
  atOnce: number
  /** How many may begin in a second; as many as can when not given. */
  perSecond?: number
  /** Claims at most so many that are due. */
  claim(limit: number): Promise<Claimed[]>
  /** Does one. */
  run(claimed: Claimed): Promise<unknown>
  /** Puts back what was claimed and not begun. */
  release(claimed: readonly Claimed[]): Promise<void>
  /** What is done when nothing is due, such as to give up what a dead process had claimed. */
  whenIdle?(): Promise<unknown>
  log: (error: unknown, id?: string) => void
  /** Milliseconds between two looks for what is due. */
  pollMs?: number
}

const POLL_MS = 500
const STOP_MS = 5000

/** Does what is due, until stopped, as much at once as may be. */
export function startClaimWorker<Claimed extends { id: string }>(
  options: ClaimWorkerOptions<Claimed>,
): { stop(): Promise<void> } {
  const { atOnce, log, pollMs = POLL_MS } = options
  const running = new Set<Promise<void>>()
  const ended = new AbortController()
  const pace = options.perSecond === undefined ? undefined : new Pace(options.perSecond)
  let waiting: Claimed[] = []
  let woken = () => {}

  const begin = (one: Claimed) => {
    const run = options
      .run(one)
      .then(() => {})
      .catch((error: unknown) => log(error, one.id))
      .finally(() => {
        running.delete(run)
        woken()
      })
    running.add(run)
  }

  const fill = async (): Promise<boolean> => {
    if (waiting.length === 0 && !ended.signal.aborted) {
      waiting = await options.claim(atOnce)
      await pace?.take(waiting.length, ended.signal)
      if (ended.signal.aborted) return false
    }
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
        if (!busy) await options.whenIdle?.()
      } catch (error) {
        log(error)
      }
      const rest = delay(pollMs, undefined, { signal: ended.signal, ref: false }).catch(() => {})
      await Promise.race(busy ? [wake] : [wake, rest])
    }
    await options.release(waiting.splice(0)).catch((error: unknown) => log(error))
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
