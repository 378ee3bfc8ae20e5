import { type BehindProxy, startBehindProxy } from '../../support/behind-proxy.js'

let behind: BehindProxy
beforeAll(async () => {
  behind = await startBehindProxy({})
})
afterAll(() => behind?.stop())

test('background work over a connection that was lost without a word fails soon, and goes on over another', async () => {
  const { pool } = behind.service.database
  const answers = () => pool.query<{ one: number }>('select 1 as one').then(({ rows }) => rows[0]?.one)
  expect(await Promise.all([answers(), answers(), answers()])).toEqual([1, 1, 1])
  behind.proxy.deafen()
  // Nothing else limits how long it may take: it would wait for ever.
  const lost = await Promise.allSettled([answers(), answers(), answers()])
  expect(lost.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(await answers()).toBe(1)
}, 60_000)

test('background work that takes its time is left alone', async () => {
  const { pool } = behind.service.database
  expect((await pool.query('select pg_sleep(8), 1 as one')).rows).toMatchObject([{ one: 1 }])
}, 60_000)
