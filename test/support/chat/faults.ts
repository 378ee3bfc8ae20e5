/**
 * What goes wrong on demand, before a model has said anything or on the way back. `busy`: 429 with Retry-After. `quota`: 429
 * since the key has no money left. `error`: 500. `overloaded`: 503. `gateway`: a page of a proxy's with 502. `slow`: the
 * answer is late; `stalled`: it begins, and does not go on. `reset`: the connection breaks at once; `cut`: in the middle of the
 * answer. `malformed`: what comes is no JSON; `foreign`: JSON that is no completion; `endless`: it has no end.
 */
export const FAULT_KINDS = [
  'busy',
  'quota',
  'error',
  'overloaded',
  'gateway',
  'slow',
  'stalled',
  'reset',
  'cut',
  'malformed',
  'foreign',
  'endless',
] as const

/** One of them. */
export type FaultKind = (typeof FAULT_KINDS)[number]

/** Which calls a fault befalls: the next ones. */
export interface Fault {
  kind: FaultKind
  /** How long an answer that is slow takes, in milliseconds; 200 if not said. */
  delayMs?: number
  /** How many calls; one if not said. */
  times?: number
  /** What Retry-After says, for `busy`; 2 seconds if not said. */
  retryAfter?: string
}

/** The faults that wait for their calls. */
export class Faults {
  private waiting: (Fault & { left: number })[] = []

  add(fault: Fault): void {
    this.waiting.push({ ...fault, left: fault.times ?? 1 })
  }

  clear(): void {
    this.waiting = []
  }

  /** The fault of the next call, if it has one. */
  take(): Fault | undefined {
    const [fault] = this.waiting
    if (!fault) return undefined
    fault.left -= 1
    this.waiting = this.waiting.filter(({ left }) => left > 0)
    return fault
  }
}
