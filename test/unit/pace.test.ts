import { Pace } from '../../src/kit/pace.js'

/** A pace whose time passes only where it waits, and comes late by so much. */
function paced(perSecond: number, late = 0) {
  let at = 1000
  const now = () => at
  const pass = (ms: number) => {
    at += ms
  }
  const pause = async (ms: number) => pass(ms + late)
  return { pace: new Pace(perSecond, { now, pause }), now, pass }
}

const never = new AbortController().signal

test('work begins at the rate, whatever is taken at once', async () => {
  const { pace, now } = paced(250)
  for (let i = 0; i < 40; i++) await pace.take(25, never)
  expect(now() - 1000).toBe(39 * 100 - 100)
})

test('a timer that comes late costs nothing of the rate', async () => {
  const { pace, now } = paced(250, 30)
  for (let i = 0; i < 40; i++) await pace.take(25, never)
  expect(now() - 1000).toBeLessThanOrEqual(39 * 100 + 30)
})

test('who has rested does not catch up with more than a tenth of a second', async () => {
  const { pace, now, pass } = paced(250)
  pass(60_000)
  const begin = now()
  for (let i = 0; i < 11; i++) await pace.take(25, never)
  expect(now() - begin).toBe(1000 - 100)
})

test('work that is slower than its pace hears so, and waits for nothing', async () => {
  const { pace, pass } = paced(250)
  for (let i = 0; i < 4; i++) {
    expect(await pace.take(25, never)).toBe(false)
    pass(101)
  }
  await pace.take(25, never)
  await pace.take(25, never)
  expect(await pace.take(25, never)).toBe(true)
})

test('who is told to stop waits no longer', async () => {
  const pace = new Pace(0.001)
  const ended = new AbortController()
  await pace.take(1, ended.signal)
  const waiting = pace.take(1, ended.signal)
  ended.abort()
  expect(await waiting).toBe(true)
})
