import fc from 'fast-check'
import { cycleAt, cycleStart, proratedCents } from '../../src/shared/cycles.js'

const utc = (text: string) => new Date(text)
const iso = (date: Date) => date.toISOString().replace('.000Z', 'Z')

describe('cycles', () => {
  // Worked out by hand with a calendar.
  test.each([
    ['plain', '2026-04-15T10:20:30Z', '2026-04-15T10:20:30Z', '2026-04-15T10:20:30Z', '2026-05-15T10:20:30Z'],
    ['its last second', '2026-04-15T10:20:30Z', '2026-05-15T10:20:29Z', '2026-04-15T10:20:30Z', '2026-05-15T10:20:30Z'],
    [
      'its end is the next',
      '2026-04-15T10:20:30Z',
      '2026-05-15T10:20:30Z',
      '2026-05-15T10:20:30Z',
      '2026-06-15T10:20:30Z',
    ],
    [
      '31st, into February',
      '2026-01-31T08:00:00Z',
      '2026-02-10T00:00:00Z',
      '2026-01-31T08:00:00Z',
      '2026-02-28T08:00:00Z',
    ],
    [
      '31st, out of February',
      '2026-01-31T08:00:00Z',
      '2026-03-01T00:00:00Z',
      '2026-02-28T08:00:00Z',
      '2026-03-31T08:00:00Z',
    ],
    [
      '31st, into a month of 30',
      '2026-01-31T08:00:00Z',
      '2026-04-30T07:59:59Z',
      '2026-03-31T08:00:00Z',
      '2026-04-30T08:00:00Z',
    ],
    [
      '31st, from a month of 30',
      '2026-01-31T08:00:00Z',
      '2026-04-30T08:00:00Z',
      '2026-04-30T08:00:00Z',
      '2026-05-31T08:00:00Z',
    ],
    [
      '31st, leap February',
      '2024-01-31T08:00:00Z',
      '2024-02-29T09:00:00Z',
      '2024-02-29T08:00:00Z',
      '2024-03-31T08:00:00Z',
    ],
    ['30th, February', '2026-01-30T00:00:00Z', '2026-02-28T00:00:00Z', '2026-02-28T00:00:00Z', '2026-03-30T00:00:00Z'],
    [
      '29th, February of 28',
      '2026-01-29T00:00:00Z',
      '2026-02-28T23:59:59Z',
      '2026-02-28T00:00:00Z',
      '2026-03-29T00:00:00Z',
    ],
    [
      '29th, February of 29',
      '2028-01-29T00:00:00Z',
      '2028-02-28T23:59:59Z',
      '2028-01-29T00:00:00Z',
      '2028-02-29T00:00:00Z',
    ],
    [
      'leap day, a year on',
      '2024-02-29T12:00:00Z',
      '2025-02-28T12:00:00Z',
      '2025-02-28T12:00:00Z',
      '2025-03-29T12:00:00Z',
    ],
    [
      'leap day, four years on',
      '2024-02-29T12:00:00Z',
      '2028-02-29T12:00:00Z',
      '2028-02-29T12:00:00Z',
      '2028-03-29T12:00:00Z',
    ],
    ["year's end", '2025-12-31T23:59:59Z', '2026-01-31T23:59:58Z', '2025-12-31T23:59:59Z', '2026-01-31T23:59:59Z'],
    [
      "year's beginning",
      '2025-12-01T00:00:00Z',
      '2025-12-31T23:59:59Z',
      '2025-12-01T00:00:00Z',
      '2026-01-01T00:00:00Z',
    ],
    [
      '2100 is no leap year',
      '2100-01-31T00:00:00Z',
      '2100-02-28T00:00:00Z',
      '2100-02-28T00:00:00Z',
      '2100-03-31T00:00:00Z',
    ],
    [
      'before the anchor',
      '2026-04-15T10:20:30Z',
      '2026-04-01T00:00:00Z',
      '2026-04-15T10:20:30Z',
      '2026-05-15T10:20:30Z',
    ],
    [
      'a fraction of a second',
      '2026-04-15T10:20:30.900Z',
      '2026-04-15T10:20:30.950Z',
      '2026-04-15T10:20:30Z',
      '2026-05-15T10:20:30Z',
    ],
  ])('%s', (_name, anchor, at, start, end) => {
    const cycle = cycleAt(utc(anchor), utc(at))
    expect([iso(cycle.start), iso(cycle.end)]).toEqual([start, end])
  })

  test('they follow each other without a gap, are of 28 to 31 days, and each instant lies in its own', () => {
    const instants = fc.date({
      min: utc('2000-01-01T00:00:00Z'),
      max: utc('2099-12-31T00:00:00Z'),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(instants, instants, (a, b) => {
        const [anchor, at] = a <= b ? [a, b] : [b, a]
        const { number, start, end } = cycleAt(anchor, at)
        expect([start <= at, at < end]).toEqual([true, true])
        expect(cycleStart(anchor, number + 1)).toEqual(end)
        const days = (end.getTime() - start.getTime()) / 86_400_000
        expect([28, 29, 30, 31]).toContain(days)
      }),
    )
  })
})

describe('proration', () => {
  // The seconds of a cycle: 28 days 2,419,200; 29 days 2,505,600; 30 days 2,592,000; 31 days 2,678,400.
  test.each([
    // At its first second the whole cycle is left: 4900 × 1.
    ['a whole cycle', 4900, 1, '2026-04-01T00:00:00Z', '2026-04-01T00:00:00Z', 4900],
    // 15 of 30 days: 4900 × 1/2.
    ['half of 30 days', 4900, 1, '2026-04-01T00:00:00Z', '2026-04-16T00:00:00Z', 2450],
    // 4901 × 1/2 = 2450.5, half up.
    ['a half cent goes up', 4901, 1, '2026-04-01T00:00:00Z', '2026-04-16T00:00:00Z', 2451],
    // Three seats at once: 4901 × 3 / 2 = 7351.5 → 7352; each for itself, rounded, would be 3 × 2451 = 7353.
    ['rounded once, not for each seat', 4901, 3, '2026-04-01T00:00:00Z', '2026-04-16T00:00:00Z', 7352],
    // 10 of 31 days: 4900 × 864,000 / 2,678,400 = 1580.645… → 1581.
    ['10 of 31 days', 4900, 1, '2026-01-01T00:00:00Z', '2026-01-22T00:00:00Z', 1581],
    // 7 of 28 days: 4900 / 4.
    ['7 of 28 days', 4900, 1, '2026-02-01T00:00:00Z', '2026-02-22T00:00:00Z', 1225],
    // 7 of 29 days: 4900 × 7/29 = 1182.758… → 1183.
    ['7 of 29 days', 4900, 1, '2024-02-01T00:00:00Z', '2024-02-23T00:00:00Z', 1183],
    // From 31 January to 28 February are 28 days; on 14 February 14 are left: 4900 / 2.
    ['the short cycle after a 31st', 4900, 1, '2026-01-31T00:00:00Z', '2026-02-14T00:00:00Z', 2450],
    // From 28 February to 31 March are 31 days; on 14 March 17 are left: 4900 × 17/31 = 2687.096… → 2687.
    ['the long cycle after it', 4900, 1, '2026-01-31T00:00:00Z', '2026-03-14T00:00:00Z', 2687],
    // Over the year's end: 15 December to 15 January are 31 days; on 1 January 14 are left: 10000 × 14/31 = 4516.129….
    ["over the year's end", 10_000, 1, '2025-12-15T00:00:00Z', '2026-01-01T00:00:00Z', 4516],
    // One second of 30 days: 4900 / 2,592,000 = 0.0018… → 0.
    ['the last second costs nothing', 4900, 1, '2026-04-01T00:00:00Z', '2026-04-30T23:59:59Z', 0],
    // 264 seconds: 4900 × 264 / 2,592,000 = 0.49907… → 0; 265: 0.50096… → 1.
    ['264 seconds are less than half a cent', 4900, 1, '2026-04-01T00:00:00Z', '2026-04-30T23:55:36Z', 0],
    ['265 are more', 4900, 1, '2026-04-01T00:00:00Z', '2026-04-30T23:55:35Z', 1],
    // A second that has begun counts whole: the same as at its beginning.
    ['within a second', 4901, 1, '2026-04-01T00:00:00Z', '2026-04-16T00:00:00.999Z', 2451],
    // One second after the middle: 4901 × 1,295,999 / 2,592,000 = 2450.498… → 2450.
    ['the next second', 4901, 1, '2026-04-01T00:00:00Z', '2026-04-16T00:00:01Z', 2450],
    // Yen have no cents: 5000 yen × 10/31 = 1612.9… → 1613 yen.
    ['yen', 5000, 1, '2026-01-01T00:00:00Z', '2026-01-22T00:00:00Z', 1613],
    // 2^53 is far exceeded on the way: 99,999,999 × 400 × 1,339,200 / 2,678,400 = 19,999,999,800.
    [
      'amounts beyond what a double holds',
      99_999_999,
      400,
      '2026-01-01T00:00:00Z',
      '2026-01-16T12:00:00Z',
      19_999_999_800,
    ],
    ['a price of nothing', 0, 5, '2026-01-01T00:00:00Z', '2026-01-16T12:00:00Z', 0],
  ])('%s', (_name, price, seats, anchor, at, cents) => {
    expect(proratedCents(price, seats, utc(at), cycleAt(utc(anchor), utc(at)))).toBe(cents)
  })
})
