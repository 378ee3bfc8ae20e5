const MAX_MS = 3_600_000

/** What a header Retry-After says, seconds or a date (RFC 9110), in milliseconds from now, an hour at most. */
export function retryAfterOf(header: string | null | undefined): number | undefined {
  if (!header) return undefined
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isFinite(ms) && ms > 0 ? Math.min(ms, MAX_MS) : undefined
}
