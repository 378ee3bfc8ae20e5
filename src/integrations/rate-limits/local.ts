import type { Count, RequestCounter } from './counter.js'

interface Window {
  used: number
  until: number
}

// Ends of one window that two clocks tell may differ by so much.
const SAME_WINDOW_MS = 2000

/** Counts in the memory of this process; also what another counter has told, so that it can go on where that ends. */
export class LocalCounter implements RequestCounter {
  private readonly windows = new Map<string, Window>()

  constructor(private readonly now: () => number = Date.now) {}

  count(who: string, requests: number, windowMs: number): Count {
    const now = this.now()
    const running = this.running(who, now) ?? this.begin(who, { used: 0, until: now + windowMs }, now)
    running.used += requests
    return { used: running.used, msLeft: running.until - now }
  }

  look(who: string, windowMs: number): Count {
    const now = this.now()
    const running = this.running(who, now)
    return running ? { used: running.used, msLeft: running.until - now } : { used: 0, msLeft: windowMs }
  }

  /** Takes over what another counter has told, unless more is known of the same window already. */
  learn(who: string, { used, msLeft }: Count): void {
    const now = this.now()
    const until = now + msLeft
    const known = this.running(who, now)
    if (!known) this.begin(who, { used, until }, now)
    else if (used > known.used || Math.abs(known.until - until) > SAME_WINDOW_MS) Object.assign(known, { used, until })
  }

  close(): void {
    this.windows.clear()
  }

  /** How many are remembered. */
  get size(): number {
    return this.windows.size
  }

  private running(who: string, now: number): Window | undefined {
    const known = this.windows.get(who)
    return known && known.until > now ? known : undefined
  }

  private begin(who: string, opened: Window, now: number): Window {
    this.windows.delete(who) // so that those that were opened first stand first
    for (const [name, { until }] of this.windows) {
      if (until > now) break
      this.windows.delete(name)
    }
    this.windows.set(who, opened)
    return opened
  }
}
