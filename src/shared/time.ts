/** The instants that an ISO 8601 date or date-time means as a lower (`from`) and as an upper (`to`) inclusive bound. */
export interface DateBound {
  from: string
  to: string
}

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:([Zz])|([+\- ])(\d{2})(?::?(\d{2}))?)?)?$/
const DAY = 86_400_000

/**
 * Reads an ISO 8601 date or date-time; without an offset it is UTC, and a date alone is its whole day. Stored instants
 * have milliseconds, so a finer bound is rounded inwards. Undefined when it is not such a date.
 */
export function parseDateBound(text: string): DateBound | undefined {
  const m = ISO.exec(text.trim())
  if (!m) return undefined
  const [year, month, day, hour, minute, second] = [1, 2, 3, 4, 5, 6].map((i) => Number(m[i] ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const midnight = new Date(0)
  midnight.setUTCFullYear(year, month - 1, day)
  const real = midnight.getUTCMonth() === month - 1 && midnight.getUTCDate() === day
  if (!real || year < 1 || hour > 23 || minute > 59 || second > 59) return undefined
  if (m[4] === undefined) return bound(midnight.getTime(), midnight.getTime() + DAY - 1)

  // A space for the sign is a `+` that was not percent-encoded in a query string.
  const [offsetHours, offsetMinutes] = [Number(m[10] ?? 0), Number(m[11] ?? 0)]
  if (offsetHours > 23 || offsetMinutes > 59) return undefined
  const offset = (offsetHours * 60 + offsetMinutes) * (m[9] === '-' ? -1 : 1)
  const fraction = (m[7] ?? '').padEnd(9, '0')
  const at = midnight.getTime() + ((hour * 60 + minute - offset) * 60 + second) * 1000 + Number(fraction.slice(0, 3))
  const finer = Number(fraction.slice(3)) > 0
  return bound(finer ? at + 1 : at, at)
}

function bound(from: number, to: number): DateBound | undefined {
  const years = [from, to].map((at) => new Date(at).getUTCFullYear())
  if (years.some((year) => year < 1 || year > 9999)) return undefined
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
}

/**
 * PostgreSQL's text for a timestamptz(3) of a UTC session (`2026-01-31 09:30:00.12+00`) as ISO 8601 with milliseconds.
 * String surgery, since a Date object for each of a list's hundreds of timestamps costs more than the list.
 */
export function isoFromPostgres(text: string): string {
  const end = text.length - 3
  if (text.charCodeAt(10) !== 32 || text.charCodeAt(end) !== 43) return new Date(text).toISOString()
  const millis = end > 19 ? text.slice(19, end).padEnd(4, '0') : '.000'
  return `${text.slice(0, 10)}T${text.slice(11, 19)}${millis}Z`
}
