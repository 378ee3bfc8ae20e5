import { setTimeout as delay } from 'node:timers/promises'
import { Gate } from '../../src/shared/gate.js'

test('so many pass at once, in the order in which they came, and a failure lets the next one in', async () => {
  const gate = new Gate(2, 10, 'Busy.')
  const seen: number[] = []
  let running = 0
  let most = 0
  const work = (n: number) =>
    gate.pass(async () => {
      seen.push(n)
      most = Math.max(most, ++running)
      await delay(1)
      running--
      if (n % 2) throw new Error(`no ${n}`)
      return n
    })
  const ends = await Promise.allSettled([0, 1, 2, 3, 4, 5].map(work))
  expect(ends.map(({ status }) => status === 'fulfilled')).toEqual([true, false, true, false, true, false])
  expect(seen).toEqual([0, 1, 2, 3, 4, 5])
  expect(most).toBe(2)
  expect(await gate.pass(async () => 'free')).toBe('free')
})

test('who finds the line full is refused at once and told when to come back', async () => {
  const gate = new Gate(1, 2, 'Busy.')
  let end = () => {}
  const first = gate.pass(() => new Promise<void>((resolve) => (end = resolve)))
  const waiting = [gate.pass(async () => 1), gate.pass(async () => 2)]
  await expect(gate.pass(async () => 3)).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: 'Busy.',
    extra: { retryAfter: 5 },
  })
  end()
  await first
  expect(await Promise.all(waiting)).toEqual([1, 2])
})
