/** How often, and how long, a call is tried again. */
export interface RetryOptions {
  /** Further attempts after the first; 4 if left out. */
  retries: number
  /** The longest pause before a further attempt, in milliseconds; what `Retry-After` asks beyond it ends the call. 60,000 if left out. */
  maxPauseMs: number
  /** The pause before the second attempt at its longest, in milliseconds, doubled for each further one; 500 if left out. */
  firstPauseMs: number
}

/** What is meant where nothing is said. */
export const USUAL_RETRIES: RetryOptions = { retries: 4, maxPauseMs: 60_000, firstPauseMs: 500 }

// Where the server says nothing of how long, ten seconds are as good as sixty.
const LONGEST_GUESS_MS = 10_000

/**
 * The pause before a further attempt, in milliseconds: what the server asks for, and else a random part of what doubles
 * with every attempt, so that clients who failed together do not come back together. Undefined when it asks for more than
 * we wait.
 */
export function pauseMs(attempt: number, retryAfter: string | null, options: RetryOptions): number | undefined {
  const asked = askedMs(retryAfter)
  if (asked !== undefined) return asked <= options.maxPauseMs ? asked : undefined
  const longest = Math.min(options.firstPauseMs * 2 ** (attempt - 1), options.maxPauseMs, LONGEST_GUESS_MS)
  return longest * (0.5 + Math.random() / 2)
}

/** `Retry-After` in milliseconds: seconds, or a date (RFC 9110, 10.2.3). */
function askedMs(retryAfter: string | null): number | undefined {
  if (!retryAfter) return undefined
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter) * 1000
  const at = Date.parse(retryAfter)
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now())
}

/** Waits; ends at once, and throws the signal's reason, when it is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const give = () => {
      clearTimeout(timer)
      reject(signal!.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', give)
      resolve()
    }, ms)
    if (signal?.aborted) give()
    else signal?.addEventListener('abort', give, { once: true })
  })
}
