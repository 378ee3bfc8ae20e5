import { offsetAt } from '../../shared/time-zone.js'

/** When mails of a flow may go out, by the clocks of the account. */
export interface SendWindow {
  /** Days of the week: 1 is Monday, 7 Sunday. */
  days: number[]
  /** The first minute of the day at which mails go, `09:00`. */
  from: string
  /** The first one at which they go no more, `18:00`; at most `24:00`. */
  until: string
}

const MINUTE = 60_000
const DAY = 86_400_000
// A day of the week may be left out once, by clocks that jump.
const DAYS_AHEAD = 15

/** Minutes since midnight of `HH:MM`; undefined where it is none. */
export function minutesOf(time: string): number | undefined {
  const [, hours, minutes] = /^(\d{2}):(\d{2})$/.exec(time) ?? []
  const at = Number(hours) * 60 + Number(minutes)
  return Number(minutes) < 60 && at <= 24 * 60 ? at : undefined
}

const dayOfWeek = (local: number) => new Date(local).getUTCDay() || 7
const startOfDay = (local: number) => Math.floor(local / DAY) * DAY

/** Whether the window is open at an instant. */
export function isOpen({ days, from, until }: SendWindow, zone: string, at: number): boolean {
  const local = at + offsetAt(zone, at)
  const minute = (local - startOfDay(local)) / MINUTE
  return days.includes(dayOfWeek(local)) && minute >= minutesOf(from)! && minute < minutesOf(until)!
}

/**
 * The first instant from this one on at which the window is open. Where clocks change, the time that is left out is no
 * time, and one that comes twice is open twice. Undefined where it opens on none of the next two weeks' days.
 */
export function openFrom(window: SendWindow, zone: string, at: number): number | undefined {
  if (isOpen(window, zone, at)) return at
  const today = startOfDay(at + offsetAt(zone, at))
  for (let ahead = 0; ahead <= DAYS_AHEAD; ahead++) {
    const day = today + ahead * DAY
    if (!window.days.includes(dayOfWeek(day))) continue
    const opening = openings(zone, day + minutesOf(window.from)! * MINUTE)
      .sort((a, b) => a - b)
      .find((instant) => instant >= at && isOpen(window, zone, instant))
    if (opening !== undefined) return opening
  }
  return undefined
}

/** The instants at which something may begin that begins at this local time: two where it comes twice, and where clocks jump. */
function openings(zone: string, local: number): number[] {
  const [before, after] = [offsetAt(zone, local - DAY), offsetAt(zone, local + DAY)]
  if (before === after) return [local - before]
  return [local - before, local - after, changeOfClocks(zone, local - DAY, local + DAY)]
}

/** The first instant with the later of two offsets. */
function changeOfClocks(zone: string, from: number, to: number): number {
  const before = offsetAt(zone, from)
  let [low, high] = [from, to]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(zone, middle) === before) low = middle
    else high = middle
  }
  return high
}
