import {
  GuardedCounter,
  LocalCounter,
  PostgresCounter,
  sweepRequestCounts,
} from '../../src/integrations/rate-limits/index.js'
import { counterContract } from '../support/counter-contract.js'
import { openTestDatabase } from '../support/open-database.js'

const ASIDE = { name: 'test', max: 1, answerMs: 30_000 }

counterContract('the memory of a process', async () => ({ counter: new LocalCounter(), stop: async () => {} }))

counterContract('PostgreSQL', async () => {
  const { database, stop } = await openTestDatabase()
  const [counter, beside] = [database.openAside(ASIDE), database.openAside(ASIDE)].map((p) => new PostgresCounter(p))
  const end = async () => {
    await Promise.all([counter!.close(), beside!.close()])
    await stop()
  }
  return { counter: counter!, beside, stop: end }
})

counterContract('PostgreSQL behind a guard', async () => {
  const { database, stop } = await openTestDatabase()
  const guarded = () =>
    new GuardedCounter(new PostgresCounter(database.openAside(ASIDE)), { patienceMs: 30_000, log: () => {} })
  const [counter, beside] = [guarded(), guarded()]
  const end = async () => {
    expect([counter, beside].map(({ report }) => report)).toEqual([
      expect.objectContaining({ alone: 0, failures: 0 }),
      expect.objectContaining({ alone: 0, failures: 0 }),
    ])
    await Promise.all([counter.close(), beside.close()])
    await stop()
  }
  return { counter, beside, stop: end }
})

test('windows that are over leave the memory, and the table', async () => {
  let now = 0
  const local = new LocalCounter(() => now)
  for (let i = 0; i < 1000; i++) local.count(`old ${i}`, 1, 100)
  now = 101
  local.count('new', 1, 100)
  expect(local.size).toBe(1)

  const { database, stop } = await openTestDatabase()
  const counter = new PostgresCounter(database.openAside(ASIDE))
  await Promise.all(['a', 'b'].map((who) => counter.count(who, 1, 1)))
  await counter.count('c', 1, 3_600_000)
  expect(await sweepRequestCounts(database.pool)).toBe(2)
  expect((await database.pool.query('select who from request_count')).rows).toEqual([{ who: 'c' }])
  await counter.close()
  await stop()
})
