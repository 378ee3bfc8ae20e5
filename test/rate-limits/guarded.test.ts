import { jest } from '@jest/globals'
import { GuardedCounter, LocalCounter, PostgresCounter } from '../../src/integrations/rate-limits/index.js'
import { startBehindProxy } from '../support/behind-proxy.js'
import { makeTenant } from '../support/factories.js'

const HOUR_MS = 3_600_000

/** A store that answers, fails or says nothing, as the test wants, and that knows how often it was asked to count. */
class Moody extends LocalCounter {
  mood: 'well' | 'failing' | 'silent' = 'well'
  counted = 0

  override count(who: string, requests: number, windowMs: number) {
    this.counted++
    return this.answer(() => super.count(who, requests, windowMs))
  }

  override look(who: string, windowMs: number) {
    return this.answer(() => super.look(who, windowMs))
  }

  // biome-ignore lint/suspicious/noExplicitAny: it answers later than the counter in memory that it is made of
  private answer<T>(work: () => T): any {
    if (this.mood === 'failing') throw new Error('out of order')
    return this.mood === 'silent' ? new Promise(() => {}) : Promise.resolve(work())
  }
}

describe('a store', () => {
  let store: Moody
  let guarded: GuardedCounter
  let told: string[]
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] })
    store = new Moody()
    told = []
    const log = (_level: string, message: string) => void told.push(message)
    guarded = new GuardedCounter(store, { patienceMs: 40, log, firstPauseMs: 100, longestPauseMs: 400 })
  })
  afterEach(async () => {
    await guarded.close()
    jest.useRealTimers()
  })

  const used = async (who = 'somebody') => (await guarded.count(who, 1, HOUR_MS)).used

  test('that fails costs a request nothing, and the count goes on where it was', async () => {
    expect([await used(), await used()]).toEqual([1, 2])
    store.mood = 'failing'
    expect([await used(), await used(), await used()]).toEqual([3, 4, 5])
    expect(store.counted).toBe(3) // after its first failure it is asked no more
    expect(await guarded.look('somebody', HOUR_MS)).toMatchObject({ used: 5 })
    expect(guarded.report).toEqual({ shared: 2, alone: 4, failures: 1, isDown: true })
    expect(told).toEqual(['Requests are counted by this process alone: out of order'])
  })

  test('that says nothing is waited for once, and for no longer than 40 ms', async () => {
    expect(await used()).toBe(1)
    store.mood = 'silent'
    let answered = false
    const first = used().finally(() => {
      answered = true
    })
    await jest.advanceTimersByTimeAsync(39)
    expect(answered).toBe(false)
    await jest.advanceTimersByTimeAsync(1)
    expect(await first).toBe(2)
    expect([await used(), await used()]).toEqual([3, 4]) // no time goes by
    expect(store.counted).toBe(2)
  })

  test('that is well again is found so by a question of our own, after pauses that grow', async () => {
    store.mood = 'failing'
    await used()
    const look = jest.spyOn(store, 'look')
    for (const [ms, times] of [
      [100, 1],
      [200, 2],
      [400, 3],
      [399, 3],
      [1, 4],
    ] as const) {
      await jest.advanceTimersByTimeAsync(ms)
      expect([ms, look.mock.calls.length]).toEqual([ms, times])
    }
    store.mood = 'well'
    await used()
    expect(store.counted).toBe(1)
    await jest.advanceTimersByTimeAsync(400)
    expect(guarded.report.isDown).toBe(false)
    await used()
    expect(store.counted).toBe(2)
    expect(told).toEqual([
      'Requests are counted by this process alone: out of order',
      'Requests are counted by all processes together again.',
    ])
  })

  test('that is not there does not keep the process from starting', async () => {
    store.mood = 'silent'
    const opening = guarded.open(2000)
    await jest.advanceTimersByTimeAsync(2000)
    await opening
    expect(guarded.report).toMatchObject({ failures: 1, isDown: true })
    expect(await used()).toBe(1)
  })
})

test('requests go on as the counts in the database fall silent, and are exact again when they are back', async () => {
  const { service, proxy, stop } = await startBehindProxy({ acquireTimeoutMs: 30_000 })
  const options = { patienceMs: 500, firstPauseMs: 20, longestPauseMs: 50, log: () => {} }
  const guarded = new GuardedCounter(
    new PostgresCounter(service.database.openAside({ name: 'test', max: 1, answerMs: 300 })),
    options,
  )
  const used = async () => (await guarded.count('somebody', 1, HOUR_MS)).used
  const wellAgain = async () => {
    for (let i = 0; i < 1000 && guarded.report.isDown; i++) await new Promise((resolve) => setTimeout(resolve, 20))
    expect(guarded.report.isDown).toBe(false)
  }
  try {
    await makeTenant(service)
    expect([await used(), await used()]).toEqual([1, 2])
    proxy.silence()
    expect(await Promise.all([used(), used(), used()])).toEqual([3, 4, 5])
    await proxy.restore()
    await wellAgain()
    // What was counted alone is not known to the others: they are told of what came through.
    expect(await used()).toBeGreaterThanOrEqual(3)
    await proxy.cut()
    const before = await used()
    expect([await used(), await used()]).toEqual([before + 1, before + 2])
    await proxy.restore()
    await wellAgain()
  } finally {
    await guarded.close()
    await stop()
  }
})
