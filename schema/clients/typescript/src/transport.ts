import { addressOf, type Call, type CallOptions, type ClientOptions, queryString, randomKey } from './call.js'
import { ConnectionError, errorOf, type FairleadError, TimeoutError } from './errors.js'
import { pause, pauseMs, type RetryOptions, USUAL_RETRIES } from './retry.js'

/** How much of the key's hourly allowance is left. */
export interface RateLimit {
  limit: number
  remaining: number
  /** When the hour ends. */
  reset: Date
}

/** What an answer's head says. */
export interface AnswerHead {
  status: number
  requestId: string | null
  /** Whether the answer is that of an earlier call with the same Idempotency-Key. */
  replayed: boolean
  /** How often the call was sent. */
  attempts: number
  rateLimit: RateLimit | undefined
}

/** A body, and beside it what the answer's head says, which neither JSON nor a loop over the members shows. */
export type Answer<Body> = Body & { readonly http: AnswerHead }

const USUAL_TIMEOUT_MS = 60_000
/** What an overloaded or restarting server, or a proxy before it, answers with. */
const PASSING = new Set([429, 502, 503, 504])

/** Sends calls, and sends them again where that may help and can do no harm. */
export class Transport {
  readonly #base: string
  readonly #headers: Record<string, string>
  readonly #options: ClientOptions & RetryOptions

  constructor(path: string, headers: Record<string, string>, options: ClientOptions) {
    this.#base = addressOf(options.baseUrl, path)
    this.#headers = headers
    this.#options = { ...USUAL_RETRIES, ...options }
  }

  /** Makes a call; rejects with a FairleadError where the server refuses it, and a ConnectionError where none answers. */
  async call<Body>(call: Call, options: CallOptions = {}): Promise<Answer<Body>> {
    const request = this.#request(call, options)
    // A call that writes is sent again only if it cannot happen twice by that.
    const repeatable = call.keyed || !['POST', 'PATCH'].includes(call.method)
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#attempt(request, attempt, options.signal)
      if ('body' in outcome) return outcome.body as Answer<Body>
      const wait = repeatable && attempt <= this.#options.retries && outcome.passing
      const ms = wait ? pauseMs(attempt, outcome.retryAfter, this.#options) : undefined
      if (ms === undefined) throw outcome.error
      await pause(ms, options.signal)
    }
  }

  #request(call: Call, { idempotencyKey, strict = this.#options.strict }: CallOptions) {
    const headers: Record<string, string> = { Accept: 'application/json', ...this.#headers }
    if (call.keyed) headers['Idempotency-Key'] = idempotencyKey ?? randomKey()
    if (strict) headers.Prefer = 'handling=strict'
    if (call.body !== undefined) headers['Content-Type'] = 'application/json'
    const body = call.body === undefined ? undefined : JSON.stringify(call.body)
    return { url: this.#base + call.path + queryString(call.query), init: { method: call.method, headers, body } }
  }

  async #attempt(
    { url, init }: { url: string; init: RequestInit },
    attempts: number,
    signal?: AbortSignal,
  ): Promise<{ body: unknown } | Failed> {
    const { timeoutMs = USUAL_TIMEOUT_MS, fetch = globalThis.fetch } = this.#options
    const late = AbortSignal.timeout(timeoutMs)
    signal?.throwIfAborted()
    let response: Response
    let text: string
    try {
      response = await fetch(url, { ...init, signal: signal ? AbortSignal.any([signal, late]) : late })
      text = await response.text()
    } catch (cause) {
      // The caller's own wish is no failure of the connection.
      signal?.throwIfAborted()
      const { method } = init
      const error = late.aborted
        ? new TimeoutError(`${method} ${url} was not answered within ${timeoutMs} ms.`, { cause })
        : new ConnectionError(`${method} ${url} could not be reached, or the connection broke.`, { cause })
      return { error, passing: true, retryAfter: null }
    }
    return settled(response, parsed(text), attempts)
  }
}

/** An attempt that did not succeed: what to throw, and whether another may. */
interface Failed {
  error: FairleadError | ConnectionError
  passing: boolean
  retryAfter: string | null
}

function settled(response: Response, body: unknown, attempts: number): { body: unknown } | Failed {
  const { status, headers } = response
  const head = headOf(response, attempts)
  if (response.ok && typeof body === 'object' && body !== null) {
    return { body: Object.defineProperty(body, 'http', { value: head }) }
  }
  const error = errorOf(status, body, head.requestId, attempts)
  const retryAfter = headers.get('retry-after')
  // The first call with the key still runs: its outcome is to be had in a moment. A failure of our own that comes with 502 is
  // the call's outcome for good; only where a proxy says so it is worth another attempt.
  const passing =
    error.code === 'IDEMPOTENCY_IN_PROGRESS' || (PASSING.has(status) && error.code !== 'TRANSIENT_FAILURE')
  return { error, passing, retryAfter }
}

function headOf({ status, headers }: Response, attempts: number): AnswerHead {
  const number = (name: string) => Number(headers.get(name))
  return {
    status,
    requestId: headers.get('x-request-id'),
    replayed: headers.get('idempotent-replayed') === 'true',
    attempts,
    rateLimit: headers.has('x-ratelimit-limit')
      ? {
          limit: number('x-ratelimit-limit'),
          remaining: number('x-ratelimit-remaining'),
          reset: new Date(number('x-ratelimit-reset') * 1000),
        }
      : undefined,
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
