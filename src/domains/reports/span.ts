const DAY = 86_400_000

/** A span of time cut into what is kept by the month, what is kept by the day, and what must be looked at row by row. */
export interface Span {
  /** First days of the first and of the last month that lie within it. */
  months: Range
  /** First and last day of those before and those after these months. */
  days: [Range, Range]
  /** First and last instant of what is left at either end. */
  edges: [Range, Range]
}

/** Both ends belong to it. */
export interface Range {
  from: string
  to: string
}

const NOTHING: Range = { from: 'infinity', to: '-infinity' }

/** Cuts a span of which either end may be open; both ends belong to it. Days and months are those of UTC. */
export function cutSpan(from: string | null, to: string | null): Span {
  const start = from === null ? Number.NEGATIVE_INFINITY : Date.parse(from)
  const end = to === null ? Number.POSITIVE_INFINITY : Date.parse(to)
  const firstDay = Math.ceil(start / DAY) * DAY
  const nextDay = Math.floor((end + 1) / DAY) * DAY // the one after the last whole day
  if (firstDay >= nextDay) return { months: NOTHING, days: [NOTHING, NOTHING], edges: [range(start, end), NOTHING] }
  const edges: Span['edges'] = [range(start, firstDay - 1), range(nextDay, end)]
  const firstMonth = monthFrom(firstDay)
  const nextMonth = monthOf(nextDay)
  if (firstMonth >= nextMonth) {
    return { months: NOTHING, days: [range(firstDay, nextDay - DAY), NOTHING], edges }
  }
  return {
    months: range(firstMonth, nextMonth - DAY),
    days: [range(firstDay, firstMonth - DAY), range(nextMonth, nextDay - DAY)],
    edges,
  }
}

function range(from: number, to: number): Range {
  return from <= to ? { from: instant(from), to: instant(to) } : NOTHING
}

function instant(at: number): string {
  if (Number.isFinite(at)) return new Date(at).toISOString()
  return at < 0 ? '-infinity' : 'infinity'
}

/** The start of the month in which a day lies. */
function monthOf(day: number): number {
  if (!Number.isFinite(day)) return day
  const date = new Date(day)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
}

/** The start of the first month that begins on the day or later. */
function monthFrom(day: number): number {
  if (!Number.isFinite(day) || monthOf(day) === day) return day
  const date = new Date(day)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}
