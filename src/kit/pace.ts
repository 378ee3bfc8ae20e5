import { setTimeout as delay } from 'node:timers/promises'

// A timer comes late, never early: so much of what was lost by that may be made good.
const CREDIT_MS = 100

/** What a pace is kept by, in milliseconds. */
interface Time {
  now(): number
  pause(ms: number, signal: AbortSignal): Promise<void>
}

const pause = (ms: number, signal: AbortSignal) => delay(ms, undefined, { signal, ref: false }).catch(() => {})

/** Keeps work in the background to a rate, so that it spreads and does not crowd out those who wait for an answer. */
export class Pace {
  private next = 0

  constructor(
    private readonly perSecond: number,
    private readonly time: Time = { now: () => performance.now(), pause },
  ) {}

  /** Resolves when so many more may begin, or at once when `signal` aborts; to whether that took a wait, or the work is behind. */
  async take(count: number, signal: AbortSignal): Promise<boolean> {
    const now = this.time.now()
    const begin = Math.max(this.next, now - CREDIT_MS)
    this.next = begin + (count * 1000) / this.perSecond
    if (begin <= now) return false
    await this.time.pause(begin - now, signal)
    return true
  }
}
