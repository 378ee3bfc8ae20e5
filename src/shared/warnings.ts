import { type Fault, invalid } from './errors.js'

/** Something odd in a request that does not stop it. */
export interface Warning {
  /** The GraphQL argument and field names that lead to the input; REST turns them into the documented name. */
  path: Fault['path']
  message: string
}

/** What of a request was odd so far. A strict request (RFC 7240: `handling=strict`) fails at what would warn another. */
export class Warnings {
  strict = false
  private readonly collected: Warning[] = []

  get list(): readonly Warning[] {
    return this.collected
  }

  /** Tells what is odd about an input, and what was done about it; throws VALIDATION_ERROR for a strict request. */
  add(path: Warning['path'], oddity: string, treatment: string): void {
    if (this.strict) throw invalid([{ path, message: oddity }])
    const message = `${oddity}${treatment}`
    const place = path.join('.')
    // What is done again tells again.
    if (this.collected.some((one) => one.message === message && one.path.join('.') === place)) return
    this.collected.push({ path, message })
  }

  /** Takes back what came after the first so many, because what told it starts anew. */
  takeBack(to: number): void {
    this.collected.length = to
  }
}
