import { setTimeout as delay } from 'node:timers/promises'
import { EmbeddedBench, query, until } from '../../support/embedded.js'

let bench: EmbeddedBench
beforeAll(() => {
  bench = new EmbeddedBench()
})
afterEach(() => bench.releaseAll())
afterAll(() => bench.remove())

test('a server that was killed comes back on its port with all that was committed, for each of its users', async () => {
  const users = [await bench.acquire(undefined, { durable: true }), await bench.acquire(undefined, { durable: true })]
  const [{ url, Client }] = users as [(typeof users)[0]]
  await query(url, 'create table kept (value text)')
  for (let round = 1; round <= 3; round++) {
    await query(url, `insert into kept values ('${round}')`)
    const { pid } = users[0]!
    process.kill(pid, 'SIGKILL')
    await until('new server', () => users.every((user) => user.pid !== pid))
    expect(users[1]!.pid).toBe(users[0]!.pid)
    expect(users.map((user) => user.url)).toEqual([url, url])
    const kept = await query(url, 'select value from kept', Client)
    expect(kept).toHaveLength(round)
  }
})

test('a server that somebody stopped is started again too, but not after its last user has gone', async () => {
  const server = await bench.acquire()
  const { pid } = server
  process.kill(pid, 'SIGINT')
  await until('new server', () => server.pid !== pid)
  expect(await query(server.url, 'select 1 as answer', server.Client)).toEqual([{ answer: 1 }])
  await server.release()
  const last = server.pid
  await delay(500)
  expect(server.pid).toBe(last)
  expect(() => process.kill(last, 0)).toThrow()
})

test('a process whose fellow was killed together with the server starts it again', async () => {
  const own = await bench.acquire()
  const other = await bench.acquireInChild(bench.folder())
  expect(other.pid).toBe(own.pid)
  const { pid } = own
  other.child.kill('SIGKILL')
  process.kill(pid, 'SIGKILL')
  await until('new server', () => own.pid !== pid)
  expect(await query(own.url, 'select 1 as answer', own.Client)).toEqual([{ answer: 1 }])
})
