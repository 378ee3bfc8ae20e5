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
  private readonly told = new Set<string>()

  get list(): readonly Warning[] {
    return this.collected
  }

  /** Tells what is odd about an input, and what was done about it; throws VALIDATION_ERROR for a strict request. */
  add(path: Warning['path'], oddity: string, treatment: string): void {
    if (this.strict) throw invalid([{ path, message: oddity }])
    const message = `${oddity}${treatment}`
    const place = path.join('.')
    if (this.told.has(`${place} ${message}`)) return // what is done again tells again
    this.told.add(`${place} ${message}`)
    this.collected.push({ path, message })
  }

  /** Takes back what came after the first so many, because what told it starts anew. */
  takeBack(to: number): void {
    for (const { path, message } of this.collected.splice(to)) this.told.delete(`${path.join('.')} ${message}`)
  }
}
