import { setTimeout as delay } from 'node:timers/promises'
import { GuardedCounter, RedisCounter } from '../../../src/integrations/rate-limits/index.js'
import { counterContract } from '../../support/counter-contract.js'
import { describeWith } from '../../support/programs.js'
import { type LocalRedis, startRedis } from '../../support/redis.js'

const HOUR_MS = 3_600_000

describeWith(['redis-server'], 'Redis', () => {
  counterContract('Redis', async () => {
    const redis = await startRedis()
    const [counter, beside] = [new RedisCounter(redis.url), new RedisCounter(redis.url)]
    const stop = async () => {
      counter.close()
      beside.close()
      await redis.stop()
    }
    return { counter, beside, stop }
  })

  describe('that fails', () => {
    let redis: LocalRedis
    let guarded: GuardedCounter
    beforeEach(async () => {
      redis = await startRedis()
      guarded = new GuardedCounter(new RedisCounter(redis.url), { patienceMs: 1000, log: () => {} })
      await guarded.open(20_000)
      expect(guarded.report.isDown).toBe(false)
    })
    afterEach(async () => {
      await guarded.close()
      await redis.stop()
    })

    const used = async () => (await guarded.count('somebody', 1, HOUR_MS)).used
    const wellAgain = async () => {
      for (let i = 0; i < 2000 && guarded.report.isDown; i++) await delay(20)
      expect(guarded.report.isDown).toBe(false)
    }

    test('since it was killed has nobody refused, and is counted in again when it is back', async () => {
      expect([await used(), await used()]).toEqual([1, 2])
      await redis.kill()
      expect([await used(), await used(), await used()]).toEqual([3, 4, 5])
      expect(guarded.report).toMatchObject({ shared: 2, alone: 3, isDown: true })
      await redis.start()
      await wellAgain()
      expect(await used()).toBe(1) // it forgot all
    })

    test('since it says nothing has nobody refused, and is counted in again when it speaks', async () => {
      expect([await used(), await used()]).toEqual([1, 2])
      redis.pause()
      expect(await Promise.all([used(), used(), used()])).toEqual([3, 4, 5])
      expect(await used()).toBe(6)
      redis.resume()
      await wellAgain()
      const { shared } = guarded.report
      expect(await used()).toBeGreaterThan(2)
      expect(guarded.report.shared).toBe(shared + 1)
    })
  })
})
