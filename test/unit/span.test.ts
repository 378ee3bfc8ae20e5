import fc from 'fast-check'
import { cutSpan, type Part } from '../../src/domains/reports/span.reads.js'
import { PROPERTY_TIMEOUT, RUNS } from '../support/generators.js'

const DAY = 86_400_000
const at = (iso: string) => Date.parse(iso)
const [FIRST, LAST] = [at('0001-01-01T00:00:00.000Z'), at('9999-12-31T23:59:59.999Z')]

/** Where an end of a range lies, as PostgreSQL would read it. */
function placeOf(text: string): number {
  if (text === 'infinity') return Number.POSITIVE_INFINITY
  if (text === '-infinity') return Number.NEGATIVE_INFINITY
  if (!/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/.test(text) || text.startsWith('0000'))
    throw new Error(`PostgreSQL does not read ${text}`)
  return Date.parse(text)
}

const dayOf = (instant: number) => Math.floor(instant / DAY) * DAY

function monthOf(instant: number): number {
  const month = new Date(dayOf(instant))
  month.setUTCDate(1)
  return month.getTime()
}

const PLACES = { month: monthOf, day: dayOf, instant: (instant: number) => instant }

/** How many of the parts of a span have the row of this instant, which a tally knows by its day and by its month. */
const partsWith = (parts: Part[], instant: number) =>
  parts.filter(({ grain, from, to }) => {
    const place = PLACES[grain](instant)
    return placeOf(from) <= place && place <= placeOf(to)
  }).length

/** Instants close to the borders of days, months and years, also of years with few digits and of the last one. */
const instant = fc
  .tuple(
    fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(2023, 2024, 2025) },
      { weight: 1, arbitrary: fc.constantFrom(1, 2, 50, 99, 100, 1899, 1970, 9999) },
    ),
    fc.nat({ max: 11 }),
    fc.constantFrom(1, 2, 15, 27, 28, 29, 30, 31),
    fc.oneof(fc.constantFrom(-1, 0, 1, DAY / 2, DAY - 1), fc.nat({ max: DAY - 1 })),
  )
  .map(([year, month, day, ms]) => {
    const date = new Date(0)
    date.setUTCFullYear(year, month, day)
    return Math.min(Math.max(date.getTime() + ms, FIRST), LAST)
  })

const end = fc.option(instant, { nil: null, freq: 5 })

const exists = (place: number) => place >= FIRST && place <= LAST
const isoOf = (place: number | null) => (place === null ? null : new Date(place).toISOString())

test(
  'the parts of a span are disjoint and hold together what lies in it, and nothing else',
  () => {
    let [inside, outside] = [0, 0]
    const property = fc.property(end, end, fc.array(instant, { minLength: 20, maxLength: 20 }), (from, to, others) => {
      fc.pre(from !== null || to !== null)
      const span = cutSpan(isoOf(from), isoOf(to))
      const ends = [from, to].filter((place) => place !== null)
      const near = ends.flatMap((place) => [-DAY, -1, 0, 1, DAY].map((ms) => place + ms))
      // Nothing is of a time that cannot be written as a date.
      const looked = [...near.filter(exists), ...others].map((place) => {
        const belongs = (from === null || from <= place) && (to === null || place <= to)
        return { place: isoOf(place), wanted: belongs ? 1 : 0, parts: partsWith(span, place) }
      })
      expect(looked.filter(({ wanted, parts }) => wanted !== parts)).toEqual([])
      inside += looked.filter(({ wanted }) => wanted === 1).length
      outside += looked.filter(({ wanted }) => wanted === 0).length
    })
    fc.assert(property, { numRuns: RUNS * 10 })
    expect(Math.min(inside, outside)).toBeGreaterThan(RUNS * 10)
  },
  PROPERTY_TIMEOUT,
)

test('little is left to be looked at row by row, few days, and no part is empty', () => {
  const property = fc.property(end, end, (from, to) => {
    fc.pre(from !== null || to !== null)
    const parts = cutSpan(isoOf(from), isoOf(to))
    const lengths = parts.map((part) => ({ ...part, length: placeOf(part.to) - placeOf(part.from) }))
    expect(lengths.filter(({ length }) => length < 0)).toEqual([])
    const total = (wanted: Part['grain']) =>
      lengths.reduce((sum, { grain, length }) => (grain === wanted ? sum + length : sum), 0)
    expect(total('instant')).toBeLessThan(2 * DAY)
    expect(total('day')).toBeLessThan(62 * DAY)
    expect(lengths.length).toBeLessThanOrEqual(5)
  })
  fc.assert(property, { numRuns: RUNS * 10 })
})

const days = (grain: Part['grain'], from: string, to: string) => ({
  ...{ grain, from: `${from}T00:00:00.000Z`, to: `${to}T00:00:00.000Z` },
})

test.each([
  [
    'whole months',
    ['2026-01-01T00:00:00.000Z', '2026-03-31T23:59:59.999Z'],
    [days('month', '2026-01-01', '2026-03-31')],
  ],
  [
    'a millisecond less at either end',
    ['2026-01-01T00:00:00.001Z', '2026-03-31T23:59:59.998Z'],
    [
      days('month', '2026-02-01', '2026-02-28'),
      days('day', '2026-01-02', '2026-01-31'),
      days('day', '2026-03-01', '2026-03-30'),
      { grain: 'instant', from: '2026-01-01T00:00:00.001Z', to: '2026-01-01T23:59:59.999Z' },
      { grain: 'instant', from: '2026-03-31T00:00:00.000Z', to: '2026-03-31T23:59:59.998Z' },
    ],
  ],
  [
    'some days of a month',
    ['2026-01-05T00:00:00.000Z', '2026-01-07T23:59:59.999Z'],
    [days('day', '2026-01-05', '2026-01-07')],
  ],
  [
    'a single instant',
    ['2026-01-05T00:00:00.000Z', '2026-01-05T00:00:00.000Z'],
    [days('instant', '2026-01-05', '2026-01-05')],
  ],
  [
    'everything from a month on',
    ['2026-01-01T00:00:00.000Z', null],
    [{ grain: 'month', from: '2026-01-01T00:00:00.000Z', to: 'infinity' }],
  ],
  [
    'everything up to a month',
    [null, '2026-01-31T23:59:59.999Z'],
    [{ grain: 'month', from: '-infinity', to: '2026-01-31T00:00:00.000Z' }],
  ],
  ['nothing, since it ends before it begins', ['2026-03-01T00:00:00.000Z', '2026-01-31T23:59:59.999Z'], []],
] as const)('%s', (_, [from, to], parts) => {
  expect(cutSpan(from, to)).toEqual(parts)
})
