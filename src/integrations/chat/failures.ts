import { neverLeft } from '../../shared/never-left.js'
import { retryAfterOf } from '../../shared/retry-after.js'
import type { ChatAnswer } from './model.js'

/** What the errors of the client have in common. */
interface ApiError {
  status?: number
  code?: string | null
  headers?: Headers
  cause?: unknown
}

/** What came of a question to which no completion came, by the error of the client; nothing of its text is told. */
export function failureOf(error: unknown): ChatAnswer {
  const { status, code, headers, cause } = error as ApiError
  if (status === undefined) {
    const left = !neverLeft(codeOf(cause))
    const reason = left ? 'Its answer did not arrive.' : 'It cannot be reached.'
    return { outcome: 'later', reason, tokens: left ? null : 0 }
  }
  const named = typeof code === 'string' && /^[a-z_]{1,40}$/.test(code) ? `${status}, ${code}` : `${status}`
  // As Azure says it of what it was asked.
  if (code === 'content_filter') return { outcome: 'unusable', reason: 'A filter held the question back.', tokens: 0 }
  if (status === 429 && code !== 'insufficient_quota') {
    const retryAfterMs = retryAfterOf(headers?.get('retry-after'))
    return { outcome: 'later', reason: `It is busy (${named}).`, tokens: 0, ...(retryAfterMs && { retryAfterMs }) }
  }
  if (status === 408 || status >= 500) return { outcome: 'later', reason: `It has a fault (${named}).`, tokens: null }
  return { outcome: 'refused', reason: `It does not take the question (${named}).`, tokens: 0 }
}

/** The code of what is at the bottom of an error. */
function codeOf(error: unknown): string {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown }
  return typeof code === 'string' ? code : cause ? codeOf(cause) : ''
}
