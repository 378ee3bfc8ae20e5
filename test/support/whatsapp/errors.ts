/** A refusal as the Graph API words it (developers.facebook.com, "Error codes" of the Cloud API). */
export class GraphFailure extends Error {
  readonly status: number
  readonly code: number
  readonly details?: string
  readonly retryAfter?: number

  constructor(
    code: number,
    message: string,
    { status = 400, details, retryAfter }: { status?: number; details?: string; retryAfter?: number } = {},
  ) {
    super(message)
    this.code = code
    this.status = status
    this.details = details
    this.retryAfter = retryAfter
  }

  /** Its body. */
  answer(trace: string) {
    const { code, details } = this
    const data = details === undefined ? {} : { error_data: { messaging_product: 'whatsapp', details } }
    return {
      error: { message: `(#${code}) ${this.message}`, type: 'OAuthException', code, ...data, fbtrace_id: trace },
    }
  }
}

/** What is wrong with a request as such. */
export const invalid = (details: string) => new GraphFailure(100, 'Invalid parameter', { details })

/** An object that is not there, or not for this token. */
export const missing = (id: string) =>
  new GraphFailure(
    100,
    `Unsupported request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation`,
  )

/** What a person gets no message for, once 24 hours have gone by since theirs. */
export const WINDOW_CLOSED = { code: 131047, title: 'Re-engagement message' } as const

/** The details that Meta gives for it. */
export const WINDOW_DETAILS =
  'Message failed to send because more than 24 hours have passed since the customer last replied to this number.'
