import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { EmbeddedPostgresError } from '../../../src/embedded-postgres/index.js'
import { EmbeddedBench, isRunning, kill, query } from '../../support/embedded.js'

let bench: EmbeddedBench
beforeAll(() => {
  bench = new EmbeddedBench()
})
afterEach(() => bench.releaseAll())
afterAll(() => bench.remove())

test('starts an empty database, and finds its data again at the second start', async () => {
  const first = await bench.acquire(bench.folder('kept'))
  expect(first.fresh).toBe(true)
  await query(first.url, 'create table kept (value text)')
  await query(first.url, `insert into kept values ('yes')`)
  await first.release()
  expect(isRunning(first.pid)).toBe(false)

  const second = await bench.acquire(bench.folder('kept'))
  expect(second.fresh).toBe(false)
  expect(await query(second.url, 'select value from kept')).toEqual([{ value: 'yes' }])
})

test('folds non-ASCII letters, keeps UTC, listens on 127.0.0.1 only and takes settings', async () => {
  const { url, adminUrl } = await bench.acquire(undefined, { settings: { work_mem: '7MB' } })
  const [row] = await query(
    url,
    `select lower('ÁÇÕ') as folded, 'ÁB' ilike 'áb' as matches, current_setting('timezone') as zone,
       current_setting('listen_addresses') as addresses, current_setting('unix_socket_directories') as sockets,
       current_setting('server_encoding') as encoding, current_setting('work_mem') as memory`,
  )
  const expected = { folded: 'áçõ', matches: true, zone: 'UTC', addresses: '127.0.0.1', sockets: '', encoding: 'UTF8' }
  expect(row).toEqual({ ...expected, memory: '7MB' })
  expect(await query(adminUrl, 'select current_database() as name')).toEqual([{ name: 'postgres' }])
})

test('names the database, the superuser and its own connections as it is told', async () => {
  const dataDir = bench.folder('named')
  const options = { name: 'shop', database: 'the "shop"', user: 'keeper' }
  const { url, Client } = await bench.acquire(dataDir, { ...options, settings: { log_connections: 'all' } })
  const [row] = await query(url, 'select current_database() as database, current_user as user', Client)
  expect(row).toEqual({ database: 'the "shop"', user: 'keeper' })
  expect(readFileSync(join(dataDir, 'postgres.log'), 'utf8')).toContain('application_name=shop start-up')
})

test('refuses a wrong password, and what keeps the server is open to its owner alone', async () => {
  const { url } = await bench.acquire()
  const wrong = url.replace(/:[0-9a-f]+@/, ':wrong@')
  await expect(query(wrong, 'select 1')).rejects.toThrow(/password authentication failed/)
  for (const name of ['postgres.password', 'postgres.lock', 'postgres.log']) {
    expect([name, statSync(join(bench.folder(), name)).mode & 0o777]).toEqual([name, 0o600])
  }
})

test('a lock file that others can read, of an earlier version, is closed to them', async () => {
  const file = join(bench.folder(), 'postgres.lock')
  await (await bench.acquire()).release()
  chmodSync(file, 0o644)
  await bench.acquire()
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('two users share one server, which stops after the last of them', async () => {
  const dataDir = bench.folder('shared')
  const [one, two] = await Promise.all([bench.acquire(dataDir), bench.acquire(dataDir)])
  expect(two.pid).toBe(one.pid)
  expect([one.fresh, two.fresh].sort()).toEqual([false, true])
  await one.release()
  await one.release()
  expect(await query(two.url, 'select 1 as answer')).toEqual([{ answer: 1 }])
  await two.release()
  expect(isRunning(two.pid)).toBe(false)
})

test('two processes share one server, whichever goes first', async () => {
  const dataDir = bench.folder()
  const other = await bench.acquireInChild(dataDir)
  const own = await bench.acquire(dataDir)
  expect(own.pid).toBe(other.pid)
  await other.release()
  expect(await query(own.url, 'select 1 as answer')).toEqual([{ answer: 1 }])
  await own.release()
  expect(isRunning(own.pid)).toBe(false)
})

test('many processes starting and stopping at once end with one server or none', async () => {
  const dataDir = bench.folder()
  const users = await Promise.all([1, 2, 3].map(() => bench.acquireInChild(dataDir)))
  expect(new Set(users.map((user) => user.pid)).size).toBe(1)
  const again = bench.acquire(dataDir)
  await Promise.all(users.map((user) => user.release()))
  expect(await query((await again).url, 'select 1 as answer')).toEqual([{ answer: 1 }])
})

test('takes over the server of a killed process', async () => {
  const dataDir = bench.folder()
  const other = await bench.acquireInChild(dataDir)
  await kill(other.child)
  expect(isRunning(other.pid)).toBe(true)
  const own = await bench.acquire(dataDir)
  expect(own).toMatchObject({ pid: other.pid, fresh: false })
  await own.release()
  expect(isRunning(other.pid)).toBe(false)
})

test('waits for a predecessor that is still shutting down', async () => {
  const first = await bench.acquire()
  process.kill(first.pid, 'SIGINT')
  const second = await bench.acquire()
  expect(await query(second.url, 'select 1 as answer')).toEqual([{ answer: 1 }])
})

test.each([
  ['a dead process', () => '4194000'],
  ['another program', () => String(process.pid)],
])('a stale postmaster.pid of %s is no trouble', async (_, stalePid) => {
  const dataDir = bench.folder()
  const first = await bench.acquire(dataDir)
  const pidFile = join(dataDir, 'postgres', 'postmaster.pid')
  const lines = readFileSync(pidFile, 'utf8').split('\n')
  await first.release()
  writeFileSync(pidFile, [stalePid(), ...lines.slice(1)].join('\n'))
  const second = await bench.acquire(dataDir)
  expect(await query(second.url, 'select 1 as answer')).toEqual([{ answer: 1 }])
})

test('registrations of dead processes and of reused pids do not keep the server running', async () => {
  const dataDir = bench.folder()
  const server = await bench.acquire(dataDir)
  writeFileSync(join(dataDir, 'users', '4194000-dead'), 'long ago')
  writeFileSync(join(dataDir, 'users', `${process.pid}-reused`), 'long ago')
  await server.release()
  expect(isRunning(server.pid)).toBe(false)
  expect(readdirSync(join(dataDir, 'users'))).toEqual([])
})

test('a process killed while it makes the cluster leaves nothing that disturbs the next', async () => {
  const dataDir = bench.folder('unfinished')
  const dying = bench.acquireInChild(dataDir).catch(() => undefined)
  for (let waited = 0; !hasUnfinishedCluster(dataDir) && waited < 10_000; waited += 5) await delay(5)
  bench.firstChild.kill('SIGKILL')
  await dying
  expect(existsSync(join(dataDir, 'postgres'))).toBe(false)
  expect((await bench.acquire(dataDir)).fresh).toBe(true)
})

function hasUnfinishedCluster(dataDir: string): boolean {
  return existsSync(dataDir) && readdirSync(dataDir).some((name) => /\.init-\d+$/.test(name))
}

test('says what the server said when it cannot start', async () => {
  const problem = bench.acquire(undefined, { settings: { shared_buffers: 'plenty' } })
  await expect(problem).rejects.toBeInstanceOf(EmbeddedPostgresError)
  await expect(problem).rejects.toThrow(/invalid value for parameter "shared_buffers": "plenty"/)
  expect(readdirSync(join(bench.folder(), 'users'))).toEqual([])
})

test('the server is out of reach of a Ctrl-C: it has a process group of its own', async () => {
  const { pid } = await bench.acquire()
  const group = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')[2]
  expect(group).toBe(String(pid))
})
