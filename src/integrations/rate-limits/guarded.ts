import { setImmediate as turn } from 'node:timers/promises'
import type { Count, CounterReport, RequestCounter } from './counter.js'
import { LocalCounter } from './local.js'

export interface GuardOptions {
  /** How long a request waits for the store, in milliseconds. */
  patienceMs: number
  log: (level: 'info' | 'warn', message: string) => void
  /** How long to wait before the store is tried again, at first and at most; it doubles in between. */
  firstPauseMs?: number
  longestPauseMs?: number
}

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5000
/** Looked for to find out whether the store answers; nobody is called that. */
const PROBE = 'probe'
const LATE = new Error('The store of request counts did not answer in time.')

/**
 * Counts in a store that processes share, and in this process alone while that store does not answer: a request waits for
 * it once, for so long, and those that come after it do not wait at all until the store answers a question of our own again.
 * What the store has told is remembered, so that the count goes on where it was.
 */
export class GuardedCounter implements RequestCounter {
  private readonly local = new LocalCounter()
  private readonly state: CounterReport = { shared: 0, alone: 0, failures: 0, isDown: false }
  private retry?: NodeJS.Timeout
  private probing?: Promise<void>
  private closed = false

  constructor(
    private readonly store: RequestCounter,
    private readonly options: GuardOptions,
  ) {}

  /** Makes the connection before the first request needs it; one that cannot be made is tried again later. */
  async open(waitMs: number): Promise<void> {
    this.probing ??= this.probe(waitMs, this.options.firstPauseMs ?? FIRST_PAUSE_MS)
    await this.probing
  }

  count(who: string, requests: number, windowMs: number): Promise<Count> {
    return this.ask(
      who,
      () => this.store.count(who, requests, windowMs),
      () => this.local.count(who, requests, windowMs),
    )
  }

  look(who: string, windowMs: number): Promise<Count> {
    return this.ask(
      who,
      () => this.store.look(who, windowMs),
      () => this.local.look(who, windowMs),
    )
  }

  get report(): Readonly<CounterReport> {
    return this.state
  }

  async close(): Promise<void> {
    this.closed = true
    clearTimeout(this.retry)
    await this.store.close()
  }

  private async ask(who: string, shared: () => Count | Promise<Count>, alone: () => Count): Promise<Count> {
    if (!this.state.isDown) {
      try {
        const answer = Promise.resolve(shared())
        const learn = (count: Count) => this.local.learn(who, count) // also what comes too late for this request
        answer.then(learn, () => {})
        const count = await within(this.options.patienceMs, answer)
        this.state.shared++
        return count
      } catch (error) {
        this.giveUp(error)
      }
    }
    this.state.alone++
    return alone()
  }

  private giveUp(error: unknown): void {
    if (this.state.isDown || this.closed) return
    this.state.isDown = true
    this.state.failures++
    const why = error instanceof Error ? error.message : String(error)
    this.options.log('warn', `Requests are counted by this process alone: ${why}`)
    this.later(this.options.firstPauseMs ?? FIRST_PAUSE_MS)
  }

  private later(pauseMs: number): void {
    if (this.closed) return
    const again = () => {
      this.probing = this.probe(this.options.patienceMs, pauseMs)
    }
    this.retry = setTimeout(again, pauseMs).unref()
  }

  private async probe(patienceMs: number, pauseMs: number): Promise<void> {
    try {
      await within(patienceMs, Promise.resolve(this.store.look(PROBE, 1000)))
      if (this.state.isDown) this.options.log('info', 'Requests are counted by all processes together again.')
      this.state.isDown = false
    } catch (error) {
      if (!this.state.isDown) this.giveUp(error)
      else this.later(Math.min(pauseMs * 2, this.options.longestPauseMs ?? LONGEST_PAUSE_MS))
    }
  }
}

/**
 * Waits for so long. A process that itself had no time finds its clock run out before it has looked at what arrived
 * meanwhile, so it looks first.
 */
function within<T>(ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () =>
        void turn()
          .then(() => turn())
          .then(() => reject(LATE)),
      ms,
    )
    const settled = () => clearTimeout(timer)
    work.then(resolve, reject).finally(settled)
  })
}
