/**
 * What goes wrong on demand. `slow`: late. `busy`: 429. `unavailable`: 503 from before the API, kept under no key. `reset_…`:
 * the connection breaks before or after the effect. `truncated`: the effect, and half of the answer. `error_…`: a 500 in the
 * place of the effect, or of its answer, which the key gets again. `refused`: a 400 in the place of the effect, which the key
 * gets again, too, as when the account lacks something. `forbidden`: a 403 before the key is looked at, as when the API key may
 * not do this.
 */
export type FaultKind =
  | 'slow'
  | 'busy'
  | 'unavailable'
  | 'reset_before'
  | 'reset_after'
  | 'truncated'
  | 'error_before'
  | 'error_after'
  | 'refused'
  | 'forbidden'

/** Those that come by themselves: for `forbidden` somebody has changed what a key may do. */
export const FAULT_KINDS: readonly FaultKind[] = [
  'slow',
  'busy',
  'unavailable',
  'reset_before',
  'reset_after',
  'truncated',
  'error_before',
  'error_after',
  'refused',
]

/** Which calls a fault befalls: the next ones that fit. */
export interface Fault {
  kind: FaultKind
  /** A pattern of calls such as `POST /v1/invoices/[^/]+/pay$`; all, unless said. */
  path?: string
  /** Only calls that are about this customer. */
  customer?: string
  /** How long the call takes, in milliseconds, whatever its fault; 200 if it is only slow. */
  delayMs?: number
  /** How many calls; one if not said. The first `skip` that fit pass. */
  times?: number
  skip?: number
}

/** A place where calls stand still, before their effect or with their answer. */
export interface Gate {
  at: 'before' | 'after'
  /** Resolves when the call may go on. */
  pass(): Promise<void>
}

/** A call that stands still, or will. */
export interface Held {
  /** Resolves once a call stands still. */
  met: Promise<void>
  /** Lets it go on. */
  release(): void
}

/** A call as faults see it. */
export interface Befallen {
  verb: string
  path: string
  customer?: string
  key?: string
  /** Whether it will get an answer again that was given before: then nothing is left to fail inside. */
  repeats?: boolean
}

/** The faults that wait for their calls. */
export class Faults {
  private waiting: (Fault & { left: number; passes: number; gate?: Gate })[] = []
  private readonly held = new Set<() => void>()
  private readonly echoes = new Set<string>()

  add(fault: Fault): void {
    this.waiting.push({ ...fault, left: fault.times ?? 1, passes: fault.skip ?? 0 })
  }

  /** Has the next call that fits stand still until it is released; a kind of fault befalls it then. */
  hold(at: Gate['at'], match: Partial<Pick<Fault, 'path' | 'customer' | 'kind'>>): Held {
    const [met, open] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const gate: Gate = {
      at,
      pass: () => {
        met.resolve()
        return open.promise
      },
    }
    const release = () => {
      this.held.delete(release)
      open.resolve()
    }
    this.held.add(release)
    this.waiting.push({ kind: 'slow', ...match, left: 1, passes: 0, delayMs: 0, gate })
    return { met: met.promise, release }
  }

  clear(): void {
    this.waiting = []
    this.echoes.clear()
    for (const release of this.held) release()
  }

  /** How many faults have not befallen a call yet. */
  get left(): number {
    return this.waiting.reduce((sum, { left }) => sum + left, 0)
  }

  /** How many of a customer's. */
  leftOf(customer: string): number {
    return this.waiting.filter((fault) => fault.customer === customer).reduce((sum, { left }) => sum + left, 0)
  }

  /** Whether a call is forbidden, before anything is asked of its key. */
  forbids(call: Befallen): boolean {
    return this.next(call, ({ kind }) => kind === 'forbidden') !== undefined
  }

  /** The fault of a call, if it has one. */
  take(call: Befallen): { kind: FaultKind; delayMs: number; gate?: Gate } | undefined {
    const text = `${call.verb} ${call.path}`
    // The client repeats a call by itself once when its connection breaks, whatever its settings: one fault takes both, and
    // none of another customer's, whose list has the same path.
    const echo = `${text} ${call.key} ${call.customer}`
    if (this.echoes.delete(echo)) return { kind: 'reset_before', delayMs: 0 }
    const fault = this.next(call, ({ kind }) => kind !== 'forbidden')
    if (!fault) return undefined
    if (fault.kind.startsWith('reset')) this.echoes.add(echo)
    return { kind: fault.kind, delayMs: fault.delayMs ?? (fault.kind === 'slow' ? 200 : 0), gate: fault.gate }
  }

  private next(call: Befallen, isOne: (fault: Fault) => boolean): (Fault & { gate?: Gate }) | undefined {
    const fault = this.waiting.find((one) => isOne(one) && fits(one, call))
    if (!fault) return undefined
    if (fault.passes > 0) {
      fault.passes -= 1
      return undefined
    }
    fault.left -= 1
    this.waiting = this.waiting.filter(({ left }) => left > 0)
    return fault
  }
}

function fits(fault: Fault, call: Befallen): boolean {
  if (fault.path !== undefined && !new RegExp(fault.path).test(`${call.verb} ${call.path}`)) return false
  if (fault.customer !== undefined && fault.customer !== call.customer) return false
  return !(call.repeats && /^(error|refused)/.test(fault.kind))
}
