import { StripeFailure } from './errors.js'

/** An answer as it was given, to be given again. */
export interface Given {
  status: number
  text: string
  requestId: string
}

interface Known {
  verb: string
  path: string
  content: string
  at: number
  given?: Given
}

/** How long keys are remembered, in milliseconds. */
const REMEMBERED = 24 * 3_600_000
const LONGEST = 255

/** What idempotency keys have been used for (docs.stripe.com/api/idempotent_requests). */
export class Keys {
  private readonly known = new Map<string, Known>()

  /**
   * Takes a key for a call: what it was answered before, if this is a repeat; otherwise the call begins. The same key with
   * other content or at another address is refused, and while its call runs.
   */
  begin(key: string, call: { verb: string; path: string; content: string }, time: number): Given | undefined {
    if (key.length > LONGEST) {
      throw new StripeFailure(`Idempotency keys may have up to ${LONGEST} characters.`, {
        type: 'idempotency_error',
        kept: false,
      })
    }
    const known = this.known.get(key)
    if (!known || known.at <= time - REMEMBERED) {
      this.known.set(key, { ...call, at: time })
      return undefined
    }
    if (known.verb !== call.verb || known.path !== call.path) {
      throw mismatch(
        `Keys for idempotent requests can only be used for the same endpoint they were first used for ('${call.path}' vs '${known.path}'). Try using a key other than '${key}' if you meant to execute a different request.`,
      )
    }
    if (known.content !== call.content) {
      throw mismatch(
        `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
      )
    }
    if (!known.given) throw inUse(key)
    return known.given
  }

  /** Keeps the answer of the call that began with the key. */
  keep(key: string, given: Given): void {
    const known = this.known.get(key)
    if (known) known.given = given
  }

  /** The call did not come to begin, so that its key is as good as new. */
  forget(key: string): void {
    this.known.delete(key)
  }
}

const mismatch = (message: string) => new StripeFailure(message, { type: 'idempotency_error', kept: false })

const inUse = (key: string) =>
  new StripeFailure(
    `There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${key}. Please try again later.`,
    { status: 409, type: 'idempotency_error', code: 'idempotency_key_in_use', kept: false },
  )
