import { EXTERNAL } from '../../src/apis/external.js'
import { checkAnswer } from './openapi.js'

/** An answer as a test looks at it. */
export interface Answer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any
  text: string
}

interface CallOptions {
  body?: unknown
  headers?: Record<string, string>
}

/**
 * Calls the service over HTTP as an integrator would. Paths are relative to the external API's base address. Every answer
 * that has a body is held against the OpenAPI document; one that differs fails the test.
 */
export interface Client {
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  get(path: string, headers?: Record<string, string>): Promise<Answer>
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>
  put(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>
  delete(path: string, headers?: Record<string, string>): Promise<Answer>
  /** Asks /graphql. */
  graphql(query: string, variables?: Record<string, unknown>, headers?: Record<string, string>): Promise<Answer>
}

/** A body that is a string is sent as it is, anything else as JSON. Without a key none is sent. */
export function createClient(origin: string, key?: string): Client {
  const send = async (method: string, url: string, { body, headers }: CallOptions = {}): Promise<Answer> => {
    const response = await fetch(url, {
      method,
      headers: {
        ...(key !== undefined && { 'X-API-Key': key }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      body: body === undefined || typeof body === 'string' ? (body as string) : JSON.stringify(body),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: parse(text) }
  }
  const call = async (method: string, path: string, options?: CallOptions) => {
    const url = new URL(origin + EXTERNAL.base + path)
    const answer = await send(method, url.href, options)
    const sentPath = url.pathname.slice(EXTERNAL.base.length)
    if (method !== 'HEAD' && method !== 'OPTIONS') checkAnswer(method, sentPath, answer)
    return answer
  }
  return {
    call,
    get: (path, headers) => call('GET', path, { headers }),
    post: (path, body, headers) => call('POST', path, { body, headers }),
    put: (path, body, headers) => call('PUT', path, { body, headers }),
    delete: (path, headers) => call('DELETE', path, { headers }),
    graphql: (query, variables, headers) => send('POST', `${origin}/graphql`, { body: { query, variables }, headers }),
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
