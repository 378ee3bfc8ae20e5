import fc from 'fast-check'
import { isBeforeItsMonth } from '../../src/integrations/billing/stripe/anchor.js'
import { nextCycle, nextOccurrence } from '../support/stripe/engine/subscriptions.js'

const MINUTE = 60_000

const moments = fc.date({
  min: new Date('2026-01-01T00:00:00Z'),
  max: new Date('2029-12-31T23:59:59Z'),
  noInvalidDate: true,
})

/** Whether Stripe, whose clock is at this moment, lets a subscription of this anchor begin. */
function isTaken(anchor: Date, at: Date): boolean {
  const now = Math.floor(at.getTime() / 1000)
  const [hour, minute, second] = [anchor.getUTCHours(), anchor.getUTCMinutes(), anchor.getUTCSeconds()]
  const first = nextOccurrence(now, { day: anchor.getUTCDate(), hour, minute, second })
  return first <= nextCycle(now, now, { interval: 'month', count: 1 })
}

describe('the beginning of a subscription', () => {
  test.each([
    ['30th, on the 31st, before a month of 30', '2026-04-30T23:59:59Z', '2026-08-31T00:00:00Z', true],
    ['30th, on the 31st, after its time', '2026-04-30T08:00:00Z', '2026-08-31T08:01:00Z', false],
    ['30th, on the 31st, before its time', '2026-04-30T08:00:00Z', '2026-08-31T07:59:59Z', true],
    ['30th, on the 31st, before a month of 31', '2026-04-30T23:59:59Z', '2026-07-31T00:00:00Z', false],
    ['30th, on the 30th', '2026-04-30T23:59:59Z', '2026-08-30T00:00:00Z', false],
    ['31st', '2026-03-31T23:59:59Z', '2026-08-31T00:00:00Z', false],
    ['28th, on the 29th of January', '2026-04-28T12:00:00Z', '2027-01-29T09:00:00Z', true],
    ['28th, on the 29th of January of a leap year', '2026-04-28T12:00:00Z', '2028-01-29T09:00:00Z', false],
    ['at its own moment', '2026-04-30T08:00:00Z', '2026-04-30T08:00:00Z', false],
    ['a minute before the day', '2026-04-30T08:00:00Z', '2026-08-30T23:58:59Z', false],
    ["on the day by Stripe's clock, perhaps", '2026-04-30T08:00:00Z', '2026-08-30T23:59:30Z', true],
    ["before its time by Stripe's clock, perhaps", '2026-04-30T08:00:00Z', '2026-08-31T08:00:30Z', true],
  ])('%s', (_, anchor, now, waits) => {
    expect(isBeforeItsMonth(new Date(anchor), new Date(now))).toBe(waits)
  })

  test('waits where Stripe would refuse it, be its clock a minute off, and nowhere else', () => {
    let waited = 0
    const ends = fc.constantFrom(28, 29, 30, 31)
    fc.assert(
      fc.property(moments, moments, ends, fc.boolean(), (anchor, now, day, early) => {
        // What waits is rare; so most are near the end of a month, early on the day.
        if (early) {
          anchor.setUTCDate(Math.min(day, 28))
          now.setUTCDate(day)
          now.setUTCHours(0)
        }
        const waits = isBeforeItsMonth(anchor, now)
        const views = [-MINUTE, 0, MINUTE].map((apart) => isTaken(anchor, new Date(now.getTime() + apart)))
        expect(waits).toBe(views.includes(false))
        if (!waits) return
        waited += 1
        // Never into the month in which its first period ends.
        const until = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1) + MINUTE)
        expect(isBeforeItsMonth(anchor, until)).toBe(false)
      }),
      { numRuns: 20_000 },
    )
    expect(waited).toBeGreaterThan(0)
  })
})
