const DAY = 86_400_000
const FIRST = Date.parse('0001-01-01T00:00:00.000Z')
const LAST = Date.parse('9999-12-31T23:59:59.999Z')

/** How a part of a span is looked up: in what is kept by the month or by the day, or row by row. */
export type Grain = 'month' | 'day' | 'instant'

/** A part of a span, from the first month, day or instant to the last. */
export interface Part {
  grain: Grain
  from: string
  to: string
}

/** Cuts a span of which either end may be open; both ends belong to it. Days and months are those of UTC. */
export function cutSpan(from: string | null, to: string | null): Part[] {
  const start = from === null ? Number.NEGATIVE_INFINITY : Date.parse(from)
  const end = to === null ? Number.POSITIVE_INFINITY : Date.parse(to)
  const firstDay = Math.ceil(start / DAY) * DAY
  const nextDay = Math.floor((end + 1) / DAY) * DAY // the one after the last whole day
  if (firstDay >= nextDay) return part('instant', start, end)
  const edges = [...part('instant', start, firstDay - 1), ...part('instant', nextDay, end)]
  const firstMonth = monthFrom(firstDay)
  const nextMonth = monthOf(nextDay)
  if (firstMonth >= nextMonth) return [...part('day', firstDay, nextDay - DAY), ...edges]
  const days = [...part('day', firstDay, firstMonth - DAY), ...part('day', nextMonth, nextDay - DAY)]
  return [...part('month', firstMonth, nextMonth - DAY), ...days, ...edges]
}

/** None when it is empty or lies beyond the first or the last date that there is, which PostgreSQL need not read. */
function part(grain: Grain, from: number, to: number): Part[] {
  return from <= to && from <= LAST && to >= FIRST ? [{ grain, from: instant(from), to: instant(to) }] : []
}

function instant(at: number): string {
  if (Number.isFinite(at)) return new Date(at).toISOString()
  return at < 0 ? '-infinity' : 'infinity'
}

/** The start of the month in which a day lies. */
function monthOf(day: number): number {
  return Number.isFinite(day) ? new Date(day).setUTCDate(1) : day
}

/** The start of the first month that begins on the day or later. */
function monthFrom(day: number): number {
  const month = monthOf(day)
  if (month === day) return day
  const next = new Date(month) // Date.UTC() would take years below 100 for others
  return next.setUTCMonth(next.getUTCMonth() + 1)
}
