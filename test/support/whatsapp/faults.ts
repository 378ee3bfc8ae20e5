/**
 * What goes wrong on demand. `slow`: late. `busy`: 429 with Retry-After. `error_…`: a 500 in the place of the effect, or of
 * its answer. `reset_…`: the connection breaks before or after the effect. `truncated`: the effect, and half of the answer.
 * `refused`: a template is refused that was approved, as when its quality has fallen.
 */
export const FAULT_KINDS = [
  'slow',
  'busy',
  'error_before',
  'error_after',
  'reset_before',
  'reset_after',
  'truncated',
  'refused',
] as const

/** One of them. */
export type FaultKind = (typeof FAULT_KINDS)[number]

/** Which calls a fault befalls: the next ones that fit. */
export interface Fault {
  kind: FaultKind
  /** A pattern of calls such as `POST .*messages$`; all, unless said. */
  path?: string
  /** How long the call takes, in milliseconds; 200 if it is only slow. */
  delayMs?: number
  /** How many calls; one if not said. */
  times?: number
  /** Seconds in Retry-After, for `busy`; 2 if not said. */
  retryAfter?: number
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

  /** The fault of a call, if it has one. */
  take(call: string): Fault | undefined {
    const fault = this.waiting.find(({ path }) => path === undefined || new RegExp(path).test(call))
    if (!fault) return undefined
    fault.left -= 1
    this.waiting = this.waiting.filter(({ left }) => left > 0)
    return { ...fault, delayMs: fault.delayMs ?? (fault.kind === 'slow' ? 200 : 0) }
  }
}
