import fc from 'fast-check'
import { Lifecycle } from '../../src/domains/pipelines/index.js'
import type { Filters } from './report-model.js'

/** Places are taken modulo what there is. */
const place = fc.nat({ max: 999 })
const perhaps = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null, freq: 4 })

const value = fc.oneof(
  fc.constantFrom(0, 0.01, 0.1, 0.2, 999_999_999.99),
  fc.nat({ max: 1_000_000 }).map((amount) => amount / 100),
)

const DAY = 86_400_000

/** Instants on both sides of the borders of days and months. */
const instant = fc
  .tuple(
    fc.constantFrom('2025-12-01', '2026-01-01', '2026-01-02', '2026-01-31', '2026-02-01', '2026-02-28', '2026-03-01'),
    fc.constantFrom(-1, 0, 1, DAY / 2, DAY - 1),
  )
  .map(([day, ms]) => new Date(Date.parse(day) + ms).toISOString())

const stage = fc.constantFrom(
  {},
  ...[Lifecycle.SENT, Lifecycle.ACCEPTED, Lifecycle.QUALIFYING_STARTED, Lifecycle.QUALIFIED].map((lifecycle) => ({
    lifecycle,
  })),
  { isWinStage: true },
  { isLossStage: true },
)
export type Setting = typeof setting extends fc.Arbitrary<infer T> ? T : never

/** What an account has before anything happens in it: pipelines by their stages, and how many owners and sectors. */
export const setting = fc.record({
  pipelines: fc.array(fc.array(stage, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 3 }),
  owners: fc.integer({ min: 1, max: 3 }),
  sectors: fc.integer({ min: 1, max: 2 }),
})

/** What may happen to the opportunities of an account. */
export const command = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('create' as const),
      stage: place,
      value,
      owner: perhaps(place),
      sector: perhaps(place),
      at: instant,
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('move' as const), which: place, stage: place }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('revalue' as const), which: place, value }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('assign' as const),
      which: place,
      owner: perhaps(place),
      sector: perhaps(place),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom('discard' as const, 'restore' as const, 'delete' as const),
      which: place,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('product' as const),
      which: place,
      value,
      quantity: fc.constantFrom(1, 2.5, 3),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('redate' as const), which: place, at: instant }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('compact' as const) }) },
)
export type Command = typeof command extends fc.Arbitrary<infer T> ? T : never

const BOUNDS = [
  ...['2025-12-01', '2026-01-01', '2026-01-02', '2026-01-31', '2026-02-01', '2026-02-28', '2026-03-01'],
  ...['2025-11-30T23:59:59.999Z', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.001Z', '2026-01-31T23:59:59.999Z'],
  ...['2026-01-31T23:59:59.998Z', '2026-02-28T12:00:00.000Z', '2026-02-01T00:00:00.000Z', '2026-01-15T07:08:09.123Z'],
]

/** Spans of time that are always looked at. */
export const SPANS: Pick<Filters, 'from' | 'to'>[] = [
  {},
  { from: '2026-01-01', to: '2026-01-31' },
  { from: '2025-12-01', to: '2026-02-28' },
  { from: '2026-01-01T00:00:00.001Z', to: '2026-02-28T23:59:59.998Z' },
  // Some of a day, days, months, days and some of a day.
  { from: '2025-12-30T12:00:00.000Z', to: '2026-03-02T12:00:00.000Z' },
  { from: '2026-01-01T12:00:00.000Z', to: '2026-03-01T12:00:00.000Z' },
  { from: '2026-02-01' },
  { to: '2025-12-31' },
]
const bound = fc.option(fc.constantFrom(...BOUNDS), { nil: undefined, freq: 4 })
/** Spans of time with or without either end, also such as end before they begin. */
export const spans = fc.array(fc.record({ from: bound, to: bound }), { minLength: 4, maxLength: 4 })
