import type { RetryOptions } from './retry.js'

/** A call as the generated methods describe it. */
export interface Call {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below the base address, its parameters filled in. */
  path: string
  query?: object
  body?: unknown
  /** Whether the server takes an Idempotency-Key, with which the call happens once, however often it is sent. */
  keyed?: boolean
}

/** What a caller may say about one call. */
export interface CallOptions {
  /**
   * Names the call, so that it happens once also when the program that makes it starts anew; without one each call gets
   * a random one. Only calls that write take it.
   */
  idempotencyKey?: string
  /** Has the server refuse what it would otherwise ignore with a warning (`Prefer: handling=strict`). */
  strict?: boolean
  /** Ends the call, and the pauses between its attempts. */
  signal?: AbortSignal
}

/** What both clients are made with. */
export interface ClientOptions extends Partial<RetryOptions> {
  /** The address of the server, with or without the path of the API, such as `https://api.example.com/external/v1`. */
  baseUrl: string
  /** How long an attempt may take, in milliseconds; 60,000 if left out. */
  timeoutMs?: number
  /** Has every call refuse what the server would otherwise ignore with a warning. */
  strict?: boolean
  /** Takes the place of the platform's `fetch`. */
  fetch?: typeof fetch
}

/** A parameter as one segment of a path. */
export const segment = (value: string): string => encodeURIComponent(value)

/** The address of an API: the base address that was given, with the API's path unless it ends in it. */
export function addressOf(baseUrl: string, path: string): string {
  const given = baseUrl.replace(/\/+$/, '')
  return given.endsWith(path) ? given : given + path
}

/** A query string; lists are joined by commas, dates are written in ISO 8601, what is undefined or null is left out. */
export function queryString(query: object = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue
    search.set(name, value instanceof Date ? value.toISOString() : Array.isArray(value) ? value.join() : String(value))
  }
  const text = search.toString()
  return text && `?${text}`
}

/** A key that nobody else has; `crypto.randomUUID` is missing on pages that came by plain http. */
export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
