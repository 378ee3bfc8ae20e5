import { type ChildProcess, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { acquireEmbeddedPostgres, type EmbeddedPostgres } from '../../src/embedded-postgres/index.js'

// The child process needs compiled code; `npm test` builds first. Another build can be named for a trial run.
const compiled = process.env.EMBEDDED_BUILD ?? join(process.cwd(), 'dist', 'database', 'embedded')
const isRoot = process.getuid?.() === 0

let root: string
let open: EmbeddedPostgres[]
let children: ChildProcess[]

// A space in the path on purpose. Most tests use one cluster in turn, since making one takes a second.
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'fairlead embedded '))
  chmodSync(root, 0o755)
})

afterAll(() => {
  rmSync(root, { recursive: true, force: true })
})

beforeEach(() => {
  open = []
  children = []
})

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL')
  for (const server of open) await server.release()
})

async function acquire(dataDir = join(root, 'data'), settings: Record<string, string> = {}): Promise<EmbeddedPostgres> {
  const server = await acquireEmbeddedPostgres({
    dataDir,
    durable: false,
    settings: { shared_buffers: '16MB', ...settings },
  })
  open.push(server)
  return server
}

async function query<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query<Row>(sql)).rows
  } finally {
    await client.end()
  }
}

/** Starts another process that acquires the same data folder and holds it until it is told to release or is killed. */
async function acquireInChild(
  dataDir: string,
): Promise<{ child: ChildProcess; pid: number; release(): Promise<void> }> {
  const script = join(root, `child-${children.length}.mjs`)
  writeFileSync(
    script,
    `import { acquireEmbeddedPostgres } from ${JSON.stringify(pathToFileURL(join(compiled, 'index.js')).href)}
     const server = await acquireEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)}, durable: false })
     console.log(server.pid)
     process.stdin.once('data', async () => { await server.release(); process.exit(0) })`,
  )
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] })
  children.push(child)
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  for await (const line of createInterface({ input: child.stdout })) {
    const release = () => {
      child.stdin.write('release\n')
      return exited
    }
    return { child, pid: Number(line), release }
  }
  throw new Error('the child process ended before it had a database')
}

async function kill(child: ChildProcess): Promise<void> {
  const exited = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await exited
}

function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

test('starts an empty database, and finds its data again at the second start', async () => {
  const first = await acquire(join(root, 'kept'))
  expect(first.fresh).toBe(true)
  await query(first.url, 'create table kept (value text)')
  await query(first.url, `insert into kept values ('yes')`)
  await first.release()
  expect(isRunning(first.pid)).toBe(false)

  const second = await acquire(join(root, 'kept'))
  expect(second.fresh).toBe(false)
  expect(await query(second.url, 'select value from kept')).toEqual([{ value: 'yes' }])
})

test('folds non-ASCII letters, keeps UTC, listens on 127.0.0.1 only and takes settings', async () => {
  const { url, adminUrl } = await acquire(join(root, 'data'), { work_mem: '7MB' })
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

test('refuses a wrong password and keeps the right one to its owner', async () => {
  const { url } = await acquire()
  const wrong = url.replace(/:[0-9a-f]+@/, ':wrong@')
  await expect(query(wrong, 'select 1')).rejects.toThrow(/password authentication failed/)
  expect(statSync(join(root, 'data', 'postgres.password')).mode & 0o777).toBe(0o600)
})

test('two users share one server, which stops after the last of them', async () => {
  const dataDir = join(root, 'shared')
  const [one, two] = await Promise.all([acquire(dataDir), acquire(dataDir)])
  expect(two.pid).toBe(one.pid)
  expect([one.fresh, two.fresh].sort()).toEqual([false, true])
  await one.release()
  await one.release()
  expect(await query(two.url, 'select 1 as answer')).toEqual([{ answer: 1 }])
  await two.release()
  expect(isRunning(two.pid)).toBe(false)
})

test('two processes share one server, whichever goes first', async () => {
  const dataDir = join(root, 'data')
  const other = await acquireInChild(dataDir)
  const own = await acquire(dataDir)
  expect(own.pid).toBe(other.pid)
  await other.release()
  expect(await query(own.url, 'select 1 as answer')).toEqual([{ answer: 1 }])
  await own.release()
  expect(isRunning(own.pid)).toBe(false)
})

test('many processes starting and stopping at once end with one server or none', async () => {
  const dataDir = join(root, 'data')
  const users = await Promise.all([1, 2, 3].map(() => acquireInChild(dataDir)))
  expect(new Set(users.map((user) => user.pid)).size).toBe(1)
  const again = acquire(dataDir)
  await Promise.all(users.map((user) => user.release()))
  expect(await query((await again).url, 'select 1 as answer')).toEqual([{ answer: 1 }])
})

test('takes over the server of a killed process', async () => {
  const dataDir = join(root, 'data')
  const other = await acquireInChild(dataDir)
  await kill(other.child)
  expect(isRunning(other.pid)).toBe(true)
  const own = await acquire(dataDir)
  expect(own).toMatchObject({ pid: other.pid, fresh: false })
  await own.release()
  expect(isRunning(other.pid)).toBe(false)
})

test('recovers after the server itself was killed, without losing what was committed', async () => {
  const options = { dataDir: join(root, 'data'), settings: { shared_buffers: '16MB' } }
  const first = await acquireEmbeddedPostgres(options)
  open.push(first)
  await query(first.url, 'create table committed (value text)')
  process.kill(first.pid, 'SIGKILL')
  const second = await acquireEmbeddedPostgres(options)
  open.push(second)
  expect(second.pid).not.toBe(first.pid)
  expect(await query(second.url, 'select value from committed')).toEqual([])
})

test('waits for a predecessor that is still shutting down', async () => {
  const first = await acquire()
  process.kill(first.pid, 'SIGINT')
  const second = await acquire()
  expect(await query(second.url, 'select 1 as answer')).toEqual([{ answer: 1 }])
})

test.each([
  ['a dead process', () => '4194000'],
  ['another program', () => String(process.pid)],
])('a stale postmaster.pid of %s is no trouble', async (_, stalePid) => {
  const dataDir = join(root, 'data')
  const first = await acquire(dataDir)
  const pidFile = join(dataDir, 'postgres', 'postmaster.pid')
  const lines = readFileSync(pidFile, 'utf8').split('\n')
  await first.release()
  writeFileSync(pidFile, [stalePid(), ...lines.slice(1)].join('\n'))
  const second = await acquire(dataDir)
  expect(await query(second.url, 'select 1 as answer')).toEqual([{ answer: 1 }])
})

test('registrations of dead processes and of reused pids do not keep the server running', async () => {
  const dataDir = join(root, 'data')
  const server = await acquire(dataDir)
  writeFileSync(join(dataDir, 'users', '4194000-dead'), 'long ago')
  writeFileSync(join(dataDir, 'users', `${process.pid}-reused`), 'long ago')
  await server.release()
  expect(isRunning(server.pid)).toBe(false)
  expect(readdirSync(join(dataDir, 'users'))).toEqual([])
})

test('a process killed while it makes the cluster leaves nothing that disturbs the next', async () => {
  const dataDir = join(root, 'unfinished')
  const dying = acquireInChild(dataDir).catch(() => undefined)
  for (let waited = 0; !hasUnfinishedCluster(dataDir) && waited < 10_000; waited += 5) await delay(5)
  children[0]!.kill('SIGKILL')
  await dying
  expect(existsSync(join(dataDir, 'postgres'))).toBe(false)
  expect((await acquire(dataDir)).fresh).toBe(true)
})

function hasUnfinishedCluster(dataDir: string): boolean {
  return existsSync(dataDir) && readdirSync(dataDir).some((name) => /\.init-\d+$/.test(name))
}

test('says what the server said when it cannot start, and how to do without it', async () => {
  const problem = acquire(join(root, 'data'), { shared_buffers: 'plenty' })
  await expect(problem).rejects.toThrow(/invalid value for parameter "shared_buffers": "plenty"/)
  await expect(problem).rejects.toThrow(/DATABASE_URL/)
  expect(readdirSync(join(root, 'data', 'users'))).toEqual([])
})

test('the server is out of reach of a Ctrl-C: it has a process group of its own', async () => {
  const { pid } = await acquire()
  const group = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')[2]
  expect(group).toBe(String(pid))
})

const asRoot = isRoot ? test : test.skip

asRoot('under a folder closed to other accounts, the cluster is placed elsewhere and found again', async () => {
  const closed = join(root, 'closed')
  mkdirSync(closed, { mode: 0o700 })
  const dataDir = join(closed, 'data')
  const first = await acquire(dataDir)
  const home = readFileSync(join(dataDir, 'location'), 'utf8').trim()
  try {
    expect(basename(home)).toMatch(/^fairlead-[0-9a-f]{12}$/)
    await query(first.url, 'create table kept (value text)')
    await first.release()
    const second = await acquire(dataDir)
    expect(second.fresh).toBe(false)
    expect(await query(second.url, 'select value from kept')).toEqual([])
    await second.release()
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
})

asRoot('only the cluster belongs to the account that runs the server', async () => {
  const dataDir = join(root, 'data')
  await acquire(dataDir)
  expect(statSync(join(dataDir, 'postgres')).uid).not.toBe(0)
  const others = readdirSync(dataDir).filter((name) => name !== 'postgres')
  expect(others.map((name) => statSync(join(dataDir, name)).uid)).toEqual(others.map(() => 0))
})

asRoot('in a folder of an ordinary account, the server runs as that account', async () => {
  const dataDir = join(root, 'owned')
  const [, uid, gid] = readFileSync('/etc/passwd', 'utf8').match(/^daemon:[^:]*:(\d+):(\d+):/m)!
  mkdirSync(dataDir)
  chownSync(dataDir, Number(uid), Number(gid))
  await acquire(dataDir)
  const owners = readdirSync(dataDir).map((name) => statSync(join(dataDir, name)).uid)
  expect(new Set(owners)).toEqual(new Set([Number(uid)]))
})

asRoot('in a folder whose owner has no name here, the server runs as nobody', async () => {
  const dataDir = join(root, 'nameless')
  mkdirSync(dataDir)
  chownSync(dataDir, 12_345, 12_345)
  await acquire(dataDir)
  expect(statSync(join(dataDir, 'postgres')).uid).not.toBe(12_345)
})
