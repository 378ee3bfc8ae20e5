import type { Sent } from '../channel.js'

/** An error of the Graph API, as far as it is read. */
export interface GraphError {
  code: number
  message: string
  details?: string
}

/** The person has not written within the last 24 hours. */
export const WINDOW_CLOSED = 131047

// By "Error codes" of the Cloud API (developers.facebook.com).
/** Too much was asked, or nobody could be asked: surely nothing was sent. */
const NOT_NOW = new Set([4, 80007, 130429, 131048, 131056, 131016, 131057, 133004])
/** Token, permission, number, payment or template: no other message fares better until somebody mends it. */
const OURS = new Set([
  0, 3, 10, 190, 368, 131005, 131031, 131042, 131045, 132000, 132001, 132005, 132007, 132012, 132015, 132016, 132018,
  132068, 132069, 133000, 133010, 133015,
])
const isPermission = (code: number) => code >= 200 && code <= 299

/** The error in the body of an answer; undefined when it has none that can be read. */
export function errorIn(body: unknown): GraphError | undefined {
  const error = (body as { error?: Record<string, unknown> } | undefined)?.error
  if (typeof error?.code !== 'number' || typeof error.message !== 'string') return undefined
  const details = (error.error_data as { details?: unknown } | undefined)?.details
  return { code: error.code, message: error.message, ...(typeof details === 'string' ? { details } : {}) }
}

/**
 * What became of a message that was answered with an error. A 5xx without one of the codes that say so may have come after
 * the message was sent, so nobody knows.
 */
export function failureOf(status: number, error: GraphError | undefined, retryAfterMs?: number): Sent {
  const reason = error ? inWords(error) : `WhatsApp answered ${status}.`
  const later = { outcome: 'later', reason, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) } as const
  if (status === 429 || (error && NOT_NOW.has(error.code))) return later
  if (!error) return status >= 500 || status < 400 ? { outcome: 'unknown', reason } : { outcome: 'refused', reason }
  if (error.code === WINDOW_CLOSED) return { outcome: 'window closed', reason }
  if (status >= 500) return { outcome: 'unknown', reason }
  const { code } = error
  const ourFault = status === 401 || OURS.has(code) || isPermission(code)
  return { outcome: 'refused', reason, code, ...(ourFault && { ourFault }) }
}

/** An error as a sentence for people; Meta's messages begin with the code. */
export function inWords({ code, message, details }: GraphError): string {
  const plain = message.replace(/^\(#\d+\)\s*/, '').replace(/\.$/, '')
  return `WhatsApp: ${plain}${details && details !== plain ? `: ${details.replace(/\.$/, '')}` : ''} (${code}).`
}
