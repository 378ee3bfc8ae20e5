/** The `type` of an error of Stripe's (docs.stripe.com/api/errors). */
export type ErrorType = 'invalid_request_error' | 'card_error' | 'idempotency_error' | 'api_error'

interface Details {
  status?: number
  type?: ErrorType
  code?: string
  param?: string
  /** What a card error tells of the payment. */
  more?: Record<string, unknown>
  /** Whether a repeat with the same key gets this answer again; Stripe keeps none of a request that it did not begin. */
  kept?: boolean
}

/** A call that is answered with an error, in Stripe's own shape. */
export class StripeFailure extends Error {
  readonly status: number
  readonly type: ErrorType
  readonly code?: string
  readonly param?: string
  readonly kept: boolean
  private readonly more: Record<string, unknown>

  constructor(
    message: string,
    { status = 400, type = 'invalid_request_error', code, param, more, kept = true }: Details = {},
  ) {
    super(message)
    this.status = status
    this.type = type
    if (code) this.code = code
    if (param !== undefined) this.param = param
    this.kept = kept
    this.more = more ?? {}
  }

  /** The body of the answer. */
  body(requestId: string, now: number): { error: Record<string, unknown> } {
    return {
      error: {
        ...(this.code ? { code: this.code, doc_url: docUrl(this.code) } : {}),
        ...this.more,
        message: this.message,
        ...(this.param === undefined ? {} : { param: this.param }),
        ...(this.status < 500 ? { request_log_url: logUrl(requestId, now) } : {}),
        type: this.type,
      },
    }
  }
}

const docUrl = (code: string) => `https://docs.stripe.com/error-codes#${code.replaceAll('_', '-')}`
const logUrl = (requestId: string, now: number) => `https://dashboard.stripe.com/test/logs/${requestId}?t=${now}`

/** A parameter that is wrong: the call is not begun, so a repeat with its key is a first call. */
export const invalid = (message: string, param: string, code?: string) =>
  new StripeFailure(message, { param, code, kept: false })

/** A record that is not there: 404 where the address names it, 400 where a parameter does. */
export const noSuch = (kind: string, id: string, param = 'id', inAddress = param === 'id') =>
  new StripeFailure(`No such ${kind}: '${id}'`, { status: inAddress ? 404 : 400, code: 'resource_missing', param })

/** What the record's state does not allow. */
export const refused = (message: string, code?: string, param?: string) => new StripeFailure(message, { code, param })

/**
 * What Stripe does and this server does not: no answer of Stripe's, so that nobody takes it for one. A test that meets it
 * asks for something that must be built here first.
 */
export const notBuilt = (what: string) =>
  new StripeFailure(`The local Stripe does not know this: ${what}`, { status: 501, type: 'api_error', kept: false })
