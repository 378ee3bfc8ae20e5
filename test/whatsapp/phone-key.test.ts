import fc from 'fast-check'
import { startTestApp, type TestApp } from '../support/app.js'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

/** The keys of numbers, as SQL has them. */
async function keys(numbers: readonly string[]): Promise<string[]> {
  const { rows } = await service.database.pool.query<{ key: string }>(
    'select phone_key(digits) as key from unnest($1::text[]) with ordinality t (digits, place) order by place',
    [numbers],
  )
  return rows.map(({ key }) => key)
}

const digits = (min: number, max = min) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: min, maxLength: max }).map((all) => all.join(''))
const of = (from: number, to: number) => fc.integer({ min: from, max: to }).map(String)
const joined = (...parts: fc.Arbitrary<string>[]) => fc.tuple(...parts).map((all) => all.join(''))
const area = joined(of(1, 9), of(0, 9))
const many = <T>(one: fc.Arbitrary<T>) => fc.array(one, { minLength: 100, maxLength: 200 })

/** Checks a statement on many numbers at a time, so that the database is asked seldom. */
const holds = <T>(one: fc.Arbitrary<T>, check: (numbers: T[]) => Promise<void>) =>
  fc.assert(fc.asyncProperty(many(one), check), { numRuns: 20 })

test('a Brazilian mobile number has one key with the ninth digit and without', () =>
  holds(fc.tuple(area, joined(of(6, 9), digits(7))), async (numbers) => {
    const withNinth = numbers.map(([code, rest]) => `55${code}9${rest}`)
    const without = numbers.map(([code, rest]) => `55${code}${rest}`)
    expect(await keys(withNinth)).toEqual(withNinth)
    expect(await keys(without)).toEqual(withNinth)
  }))

test('a Brazilian landline is its own key, and never that of a mobile number', () =>
  holds(joined(fc.constant('55'), area, of(2, 5), digits(7)), async (landlines) => {
    expect(await keys(landlines)).toEqual(landlines)
    const mobiles = landlines.map((number) => `${number.slice(0, 4)}9${number.slice(4)}`)
    expect(await keys(mobiles)).toEqual(mobiles)
  }))

test('a number of any other country is its own key', () =>
  holds(
    joined(of(1, 9), digits(4, 14)).filter((number) => !number.startsWith('55')),
    async (numbers) => expect(await keys(numbers)).toEqual(numbers),
  ))

test('what is longer or shorter than a Brazilian number, or has no area, is its own key', () =>
  holds(
    joined(fc.constant('55'), fc.oneof(digits(0, 9), digits(11, 14), joined(fc.constant('0'), digits(9)))),
    async (numbers) => expect(await keys(numbers)).toEqual(numbers),
  ))

test('two mobile numbers of which more than the ninth digit differs have two keys', () =>
  holds(
    fc
      .tuple(area, joined(of(6, 9), digits(7)), area, joined(of(6, 9), digits(7)))
      .filter(([area1, rest1, area2, rest2]) => area1 !== area2 || rest1 !== rest2),
    async (pairs) => {
      const [one, other] = [
        await keys(pairs.map(([code, rest]) => `55${code}${rest}`)),
        await keys(pairs.map(([, , code, rest]) => `55${code}9${rest}`)),
      ]
      expect(one.filter((key, i) => key === other[i])).toEqual([])
    },
  ))
