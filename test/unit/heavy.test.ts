import { Heavy } from '../../src/database/connections/heavy.js'

/** Accounts that work by a clock of the test's own. */
function world() {
  let now = 0
  const heavy = new Heavy(() => now)
  const run = (account: string, ms: number, times = 1) => {
    for (let i = 0; i < times; i++) {
      heavy.count(account, 1)
      now += ms
      heavy.count(account, -1, ms)
    }
  }
  return { heavy, run, pass: (ms: number) => (now += ms) }
}

test('an account with long work is heavy while another works beside it', () => {
  const { heavy, run } = world()
  run('reports', 50, 20)
  expect(heavy.has('reports')).toBe(false)
  run('reads', 1)
  expect([heavy.has('reports'), heavy.has('reads')]).toEqual([true, false])
})

test('and is no more once the other has been still for a second', () => {
  const { heavy, run, pass } = world()
  run('reads', 1)
  run('reports', 50, 20)
  run('reads', 1)
  heavy.count('reports', 1)
  expect(heavy.has('reports')).toBe(true)
  pass(1500)
  expect(heavy.has('reports')).toBe(false)
})

test('short work is light, however much there is of it', () => {
  const { heavy, run } = world()
  run('reads', 1, 5000)
  run('other', 50)
  run('reads', 1, 5000)
  expect(heavy.has('reads')).toBe(false)
})

test('who holds less than half of what another does is not heavy, and of two with as much both are', () => {
  const { heavy, run } = world()
  for (let i = 0; i < 50; i++) {
    run('one', 40)
    run('two', 40)
    run('third', 10)
  }
  expect(['one', 'two', 'third'].map((account) => heavy.has(account))).toEqual([true, true, false])
})
