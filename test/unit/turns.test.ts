import { AsyncLocalStorage } from 'node:async_hooks'
import { isOfNobody, Turns } from '../../src/http/turns.js'

const turn = () => new Promise((next) => setImmediate(next))

test('work begins in its order, one piece in a turn of the event loop, also when one fails', async () => {
  const turns = new Turns()
  const done: string[] = []
  const failures: unknown[] = []
  const hear = (error: unknown) => failures.push(error)
  const others = process.rawListeners('uncaughtException')
  process.removeAllListeners('uncaughtException').once('uncaughtException', hear)
  for (const name of ['a', 'b', 'c']) {
    turns.take(() => {
      done.push(name)
      if (name === 'a') throw new Error('a failed')
      if (name === 'b') turns.take(() => done.push('d'))
    })
  }
  expect(done).toEqual([])
  const seen: string[] = []
  for (let i = 0; i < 6; i++) {
    await turn()
    seen.push(done.join(''))
  }
  for (const listener of others) process.on('uncaughtException', listener as NodeJS.UncaughtExceptionListener)
  expect(seen.filter((all, i) => all !== seen[i - 1])).toEqual(['a', 'ab', 'abc', 'abcd'])
  expect(String(failures)).toBe('Error: a failed')
  turns.take(() => done.push('e'))
  await turn()
  await turn()
  expect(done.join('')).toBe('abcde')
})

test('each piece of work has what belonged to whoever gave it', async () => {
  const turns = new Turns()
  const store = new AsyncLocalStorage<string>()
  const seen: (string | undefined)[] = []
  for (const name of ['a', 'b']) store.run(name, () => turns.take(() => seen.push(store.getStore())))
  await turn()
  await turn()
  await turn()
  expect(seen).toEqual(['a', 'b'])
})

test.each([
  [{ authorization: 'Bearer x' }, '/graphql', false],
  [{ 'x-api-key': '' }, '/graphql', false],
  [{}, '/graphql?api_key=x', false],
  [{ cookie: 'a=b' }, '/graphql?query={me}', true],
])('%j at %s', (headers, url, expected) => {
  expect(isOfNobody({ headers, url } as never)).toBe(expected)
})
