/** A billing cycle: from its start, which belongs to it, to its end, which belongs to the next one. Whole seconds of UTC. */
export interface Cycle {
  /** How many cycles lie between the anchor and it. */
  number: number
  start: Date
  end: Date
}

const SECOND = 1000

/** The instant without its fraction of a second: cycles and shares of them are counted in seconds. */
export function wholeSecond(at: Date): Date {
  return new Date(Math.floor(at.getTime() / SECOND) * SECOND)
}

/**
 * When the cycle of this number begins: so many months after the anchor, at its time of day. A month that lacks the
 * anchor's day has its last day in its place, and the months after it have the anchor's own again.
 */
export function cycleStart(anchor: Date, number: number): Date {
  const [year, month] = [anchor.getUTCFullYear(), anchor.getUTCMonth() + number]
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  const start = new Date(wholeSecond(anchor))
  start.setUTCFullYear(year, month, Math.min(anchor.getUTCDate(), lastDay))
  return start
}

/** The cycle of this number. */
export const cycleOf = (anchor: Date, number: number): Cycle => ({
  number,
  start: cycleStart(anchor, number),
  end: cycleStart(anchor, number + 1),
})

/** The cycle in which an instant lies; before the anchor, the first one. */
export function cycleAt(anchor: Date, at: Date): Cycle {
  return cycleOf(anchor, Math.max(numberAt(anchor, at), 0))
}

/** The next moment after an instant that cycles of this anchor begin at, be it before the anchor or after it. */
export function cycleStartAfter(anchor: Date, at: Date): Date {
  return cycleStart(anchor, numberAt(anchor, at) + 1)
}

function numberAt(anchor: Date, at: Date): number {
  const months = (at.getUTCFullYear() - anchor.getUTCFullYear()) * 12 + at.getUTCMonth() - anchor.getUTCMonth()
  return cycleStart(anchor, months) <= at ? months : months - 1
}

/**
 * What seats cost from an instant to the end of its cycle, in the currency's smallest unit: price × seats × the seconds
 * left ÷ the seconds of the cycle, rounded half up, once. The second that has begun counts as a whole one.
 */
export function proratedCents(priceCents: number, seats: number, at: Date, { start, end }: Cycle): number {
  const seconds = (from: Date) => BigInt((end.getTime() - wholeSecond(from).getTime()) / SECOND)
  const [left, whole] = [seconds(at), seconds(start)]
  const exact = BigInt(priceCents) * BigInt(seats) * left
  return Number((2n * exact + whole) / (2n * whole))
}
