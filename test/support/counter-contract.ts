import { setTimeout as delay } from 'node:timers/promises'
import type { RequestCounter } from '../../src/integrations/rate-limits/index.js'

/** A counter under test, as one process has it, and how others have it. */
export interface CounterUnderTest {
  counter: RequestCounter
  /** The same counts in another process; undefined where they are not shared. */
  beside?: RequestCounter
  stop(): Promise<void>
}

const HOUR_MS = 3_600_000
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)
const ascending = (numbers: number[]) => numbers.toSorted((a, b) => a - b)

/** What every counter of requests holds to: each of them runs these tests. */
export function counterContract(name: string, start: () => Promise<CounterUnderTest>): void {
  describe(`the contract of counting, kept by ${name}`, () => {
    let under: CounterUnderTest
    beforeAll(async () => {
      under = await start()
    })
    afterAll(() => under?.stop())

    let n = 0
    const somebody = () => `somebody ${++n}`
    const usedBy = async (who: string, requests: number, counter = under.counter, windowMs = HOUR_MS) =>
      (await counter.count(who, requests, windowMs)).used

    test('nothing was counted of whom nobody has seen, and a look counts nothing', async () => {
      const who = somebody()
      expect(await under.counter.look(who, HOUR_MS)).toEqual({ used: 0, msLeft: HOUR_MS })
      expect(await usedBy(who, 1)).toBe(1)
      for (let i = 0; i < 3; i++) expect(await under.counter.look(who, HOUR_MS)).toMatchObject({ used: 1 })
    })

    test('requests are added up, each by what it counts for, and each of whose they are', async () => {
      const [one, other] = [somebody(), somebody()]
      expect(await usedBy(one, 1)).toBe(1)
      expect(await usedBy(one, 5)).toBe(6)
      expect(await usedBy(other, 2)).toBe(2)
      expect(await usedBy(one, 1)).toBe(7)
    })

    test('the first request opens the window, and no later one moves its end', async () => {
      const who = somebody()
      const { msLeft: first } = await under.counter.count(who, 1, HOUR_MS)
      await delay(20)
      const { msLeft: second } = await under.counter.count(who, 1, HOUR_MS)
      const { msLeft: looked } = await under.counter.look(who, HOUR_MS)
      expect(first).toBeLessThanOrEqual(HOUR_MS)
      expect(second).toBeLessThan(first)
      expect(looked).toBeLessThanOrEqual(second)
      expect(looked).toBeGreaterThan(HOUR_MS - 60_000)
    })

    test('a window that is over counts for nothing', async () => {
      const who = somebody()
      expect(await usedBy(who, 9, under.counter, 1000)).toBe(9)
      await delay(1100)
      expect(await under.counter.look(who, 1000)).toMatchObject({ used: 0 })
      expect(await usedBy(who, 2, under.counter, 1000)).toBe(2)
    })

    test('of those that come at once each gets a number of its own, and none is left out', async () => {
      const names = [somebody(), somebody(), somebody()]
      const places = range(1, 200).flatMap(() => names)
      const counts = await Promise.all(places.map(async (who) => ({ who, used: await usedBy(who, 1) })))
      for (const who of names) {
        const own = counts.filter((count) => count.who === who).map(({ used }) => used)
        expect(ascending(own)).toEqual(range(1, 200))
      }
    })

    test('processes count together', async () => {
      if (!under.beside) return expect(under.counter).toHaveProperty('size') // it is this process alone that counts
      const who = somebody()
      const both = range(1, 100).flatMap(() => [usedBy(who, 1), usedBy(who, 1, under.beside)])
      expect(ascending(await Promise.all(both))).toEqual(range(1, 200))
      expect(await under.beside.look(who, HOUR_MS)).toMatchObject({ used: 200 })
    })
  })
}
