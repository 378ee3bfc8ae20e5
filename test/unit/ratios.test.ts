import fc from 'fast-check'
import { amountOf, averageOf, centsOf, percentOf } from '../../src/shared/ratios.js'

test.each([
  ['0', 0n],
  ['0.00', 0n],
  ['0.01', 1n],
  ['0.10', 10n],
  ['7', 700n],
  ['7.5', 750n],
  ['1234.56', 123_456n],
  ['999999999999.99', 99_999_999_999_999n],
  ['90071992547409.93', 9_007_199_254_740_993n], // one that a double has not
])('%s are so many cents', (amount, cents) => {
  expect(centsOf(amount)).toBe(cents)
})

test('an amount that a double has goes out as it came, to the cent', () => {
  const property = fc.property(fc.bigInt({ min: 0n, max: 2n ** 46n * 100n }), (cents) => {
    expect(centsOf(JSON.stringify(amountOf(cents)))).toBe(cents)
  })
  fc.assert(property)
  expect([0n, 1n, 10n, 99n, 100n, 12_345n].map(amountOf)).toEqual([0, 0.01, 0.1, 0.99, 1, 123.45])
})

test.each([
  [0, 0, null],
  [5, 0, null],
  [0, 5, 0],
  [5, 5, 100],
  [1, 3, 33.33],
  [2, 3, 66.67],
  [3, 2, 150],
  [1, 800, 0.13], // 0.125 exactly: away from zero
  [1, 20_001, 0],
  [2_147_483_647, 1, 214_748_364_700],
])('%i of %i are %p percent', (part, whole, percent) => {
  expect(percentOf(part, whole)).toBe(percent)
})

test.each([
  [0n, 0, null],
  [0n, 3, 0],
  [100n, 3, 0.33],
  [200n, 3, 0.67],
  [1n, 2, 0.01], // half a cent: away from zero
  [101n, 1, 1.01],
  [-1n, 2, -0.01], // times can run backwards
  [-200n, 3, -0.67],
  [-1n, 3, 0],
  [99_999_999_999_999n, 1, 999_999_999_999.99],
])('%s hundredths for %i are %p each', (cents, count, average) => {
  expect(averageOf(cents, count)).toBe(average)
})
