import { cycleStart, cycleStartAfter } from '../../../shared/cycles.js'

/** How far Stripe's clock may be from ours, in milliseconds. */
const CLOCKS_APART = 60_000

/** How Stripe is told when cycles begin: by day and time, since an anchor on the 31st must come back to it after a shorter month. */
export const anchorConfig = (anchor: Date) => ({
  day_of_month: anchor.getUTCDate(),
  hour: anchor.getUTCHours(),
  minute: anchor.getUTCMinutes(),
  second: anchor.getUTCSeconds(),
})

/**
 * Whether a subscription cannot begin at this moment: Stripe lets no first period be longer than a month, and one from noon
 * of the 31st to the evening of the 30th of the next month would be. On the 1st that is over, before any cycle begins.
 */
export function isBeforeItsMonth(anchor: Date, now: Date): boolean {
  return [-CLOCKS_APART, 0, CLOCKS_APART].some((apart) => {
    const at = new Date(now.getTime() + apart)
    return cycleStartAfter(anchor, at) > cycleStart(at, 1)
  })
}
