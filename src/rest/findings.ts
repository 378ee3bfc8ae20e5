import { type Fault, MAX_LISTED, namedFault } from '../shared/faults.js'

/** One entry of `details` or `warnings`. */
export interface Detail {
  field: string
  message: string
}

/** A fault as it is kept here: an answer does not tell that it is one of something missing. */
interface Noted extends Detail {
  missing?: boolean
}

/**
 * Collects what is wrong or odd in a request, by the documented names. It keeps as many entries as an answer lists, and
 * counts the others: a body may hold a hundred thousand.
 */
export class Findings {
  readonly faults: Noted[] = []
  readonly warnings: Detail[] = []
  faultsOmitted = 0
  warningsOmitted = 0
  private readonly wrong = new Set<string>()

  /** `strict`: the caller wants to have refused what would otherwise warn (RFC 7240: `handling=strict`). */
  constructor(readonly strict = false) {}

  /** Notes what is wrong with a field; `missing` if that is that it is not there, null or empty. */
  fault(field: string, message: string, missing?: boolean): void {
    const parameter = field.split('.', 1)[0]!
    if (this.wrong.size < MAX_LISTED) this.wrong.add(parameter)
    if (this.faults.length < MAX_LISTED) this.faults.push({ field, message, missing })
    else this.faultsOmitted++
  }

  /** Whether something is wrong with a parameter or inside of it. */
  isWrong(parameter: string): boolean {
    return this.wrong.has(parameter)
  }

  /** Notes what is odd, and what the service makes of it; a fault for a strict caller. */
  warn(field: string, oddity: string, treatment: string): void {
    if (this.strict) this.fault(field, oddity)
    else if (this.warnings.length < MAX_LISTED)
      this.warnings.push(namedFault(field.split('.'), `${oddity}${treatment}`))
    else this.warningsOmitted++
  }

  /** The faults as an error carries them. */
  get documented(): Fault[] {
    return this.faults.map(({ field, ...rest }) => ({ path: field.split('.'), ...rest, documented: true }))
  }
}
