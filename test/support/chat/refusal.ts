/** A call that is refused, in the form of the chat API. */
export class Refusal extends Error {
  readonly status: number
  readonly type: string
  readonly code: string | null
  readonly param: string | null
  readonly headers: Record<string, string>

  constructor(
    status: number,
    message: string,
    {
      type = 'invalid_request_error',
      code = null as string | null,
      param = null as string | null,
      headers = {} as Record<string, string>,
    } = {},
  ) {
    super(message)
    this.status = status
    this.type = type
    this.code = code
    this.param = param
    this.headers = headers
  }

  /** The answer: what it is, and its text. */
  get answer(): { type: string; text: string } {
    const { message, type, param, code } = this
    return { type: 'application/json', text: JSON.stringify({ error: { message, type, param, code } }) }
  }
}

/** What a proxy says in the place of the API. */
export class Page extends Refusal {
  constructor() {
    super(502, 'Bad gateway')
  }

  override get answer(): { type: string; text: string } {
    return { type: 'text/html', text: '<html><body><h1>502 Bad Gateway</h1></body></html>' }
  }
}
