import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { jest } from '@jest/globals'
import pg from 'pg'
import { MIGRATION_LOCK } from '../../../src/database/migrate.js'
import { createClient } from '../../support/client.js'
import { createDatabase } from '../../support/cluster.js'
import { makeTenant } from '../../support/factories.js'
import { openSilently } from '../../support/open-database.js'
import { launch, MAIN, type Running, run, start as startProcess } from './run.js'

// Each test starts real processes, some of them several times: a second each, and many on a busy machine.
jest.setTimeout(120_000)

// Of this database alone: other tests of the run wait for locks in theirs.
const WAITING = `select 1 from pg_locks where not granted
  and database = (select oid from pg_database where datname = current_database())`
const REST = /REST +(https?:\S+)\/external\/v1/

let processes: Running[]
let cleanups: (() => Promise<unknown>)[]

beforeEach(() => {
  processes = []
  cleanups = []
})

afterEach(async () => {
  for (const { child } of processes) child.kill('SIGKILL')
  for (const cleanup of cleanups.reverse()) await cleanup()
})

function start(args: string[], settings: Record<string, string>): Running {
  const running = startProcess(args, settings)
  processes.push(running)
  return running
}

/** A database of the test's own, gone after it. */
async function ownDatabase(options: { empty?: boolean } = {}): Promise<string> {
  const { url, drop } = await createDatabase(options)
  cleanups.push(drop)
  return url
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  cleanups.push(() => client.end().catch(() => {}))
  return client
}

/** A key of a new account, straight into the database. */
async function keyIn(url: string): Promise<string> {
  const database = await openSilently(url)
  const { key } = await makeTenant({ database, origin: '' })
  await database.close()
  return key
}

async function waitFor<T>(what: string, look: () => T | Promise<T>, ms = 60_000): Promise<NonNullable<T>> {
  for (const end = Date.now() + ms; Date.now() < end; await delay(10)) {
    const found = await look()
    if (found) return found
  }
  throw new Error(`There was no ${what} within ${ms} ms.`)
}

// Has our program, and not npm, say when it begins to listen for SIGTERM: before that, nobody could end it in order.
const TELL_WHEN_LISTENING = {
  NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(`
    const tell = (name) => name === 'SIGTERM' && process.stderr.write('listens to SIGTERM\\n')
    if (/(main.js|start.mjs)$/.test(process.argv[1])) process.on('newListener', tell)
  `).replaceAll("'", '%27')}"`,
}

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

describe('serve', () => {
  test('the first start with demo data prints commands that work as they are, later ones keep the data', async () => {
    const settings = { DATABASE_URL: await ownDatabase({ empty: true }) }
    const first = start(['serve', '--with-demo', '--port', '0'], settings)
    const command = await first.prints(/^ +(curl .*)$/m)
    expect(await first.prints(/GraphQL +(.*)/)).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/graphql$/)
    const shell = await launch('sh', ['-c', command]).finished
    const answer = JSON.parse(shell.stdout)
    expect(answer.data).toHaveLength(2)
    expect(answer.pagination.total).toBe(40)
    const ofAgency = await first.prints(/^ +(curl .*sub-accounts.*)$/m)
    const created = JSON.parse((await launch('sh', ['-c', ofAgency]).finished).stdout)
    expect(created).toMatchObject({
      ok: true,
      data: { slug: 'padaria-central', channels: { whatsapp: 1 }, billing: { invoiceStatus: 'paid' } },
    })
    const health = await fetch(await first.prints(/Health +(.*)/))
    expect([health.status, await health.json()]).toEqual([200, { status: 'ready' }])
    first.child.kill('SIGTERM')
    const { code, stdout } = await first.finished
    expect(code).toBe(0)
    const key = /fl_live_\w+/.exec(stdout)![0]
    const [agencyKey, token] = [/Agency +(\w+)/, /Token +(\w+)/].map((pattern) => pattern.exec(stdout)![1])
    expect(ofAgency).toContain(`Bearer ${token}'`)
    expect(ofAgency).toContain(`/${agencyKey}/`)

    const second = start(['serve', '--with-demo', '--port', '0'], settings)
    const list = await createClient(await second.prints(REST), key).get('/contacts?limit=1')
    expect([list.status, list.body.pagination.total]).toEqual([200, 40])
    second.child.kill('SIGINT')
    const ended = await second.finished
    expect(ended.code).toBe(0)
    expect(ended.stdout).toMatch(/API key +was shown when the demo account was made; `npx fairlead demo` makes it anew/)
    expect(ended.stdout + ended.stderr).not.toMatch(/fl_(live|agency)_/)
  })

  test('prints a command for the agency API that works where that has a host of its own', async () => {
    const settings = { DATABASE_URL: await ownDatabase(), AGENCY_HOST: 'agencies.localhost' }
    const server = start(['serve', '--with-demo', '--port', '0'], settings)
    const command = await server.prints(/^ +(curl .*sub-accounts.*)$/m)
    expect(command).toMatch(/'http:\/\/agencies\.localhost:\d+\/api\/webhooks\/agency\/ag_/)
    expect(JSON.parse((await launch('sh', ['-c', command]).finished).stdout)).toMatchObject({ ok: true })
    expect((await fetch(await server.prints(/Health +(.*)/))).status).toBe(200)
    server.child.kill('SIGTERM')
    expect((await server.finished).code).toBe(0)
  })

  test('takes the port that it is told, says so when it is taken, and prints the address that callers use', async () => {
    const settings = { DATABASE_URL: await ownDatabase() }
    const port = await freePort()
    const behind = { ...settings, PORT: '1', PUBLIC_URL: 'https://leads.example/' }
    const first = start(['serve', '--no-migrate', '--no-worker', '--port', String(port)], behind)
    expect(await first.prints(REST)).toBe('https://leads.example')

    const second = await run(['serve'], { ...settings, PORT: String(port) })
    expect(second).toMatchObject({ code: 1, stdout: '' })
    expect(second.stderr).toContain('the port is in use: choose another with --port or PORT')
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200)
    first.child.kill('SIGTERM')
    expect((await first.finished).code).toBe(0)
  })
})

describe('SIGTERM', () => {
  /** A server whose request to create a contact hangs at a lock, which `unlock` takes away. */
  async function serverAtWork() {
    const url = await ownDatabase()
    const key = await keyIn(url)
    const holder = await connect(url)
    await holder.query('begin; lock table contact in access exclusive mode')
    // Longer than a process takes to end, so that the lock is what holds the request.
    const patient = { DATABASE_LOCK_MS: '60000', DATABASE_STATEMENT_MS: '60000' }
    // Without workers, who would wait at the lock too.
    const service = start(['serve', '--port', '0', '--no-worker'], { DATABASE_URL: url, ...patient })
    const origin = await service.prints(REST)
    const answer = createClient(origin, key)
      .post('/contacts', { name: 'In flight' })
      .catch((error: Error) => error)
    await waitFor('request at the lock', async () => {
      const { rows } = await holder.query(WAITING)
      return rows.length > 0
    })
    return { service, origin, answer, holder, unlock: () => holder.query('commit') }
  }

  test('lets a request in flight finish, takes no new one, and ends with 0', async () => {
    const { service, origin, answer, holder, unlock } = await serverAtWork()
    service.child.kill('SIGTERM')
    await waitFor('closed port', () =>
      fetch(`${origin}/healthz`).then(
        () => false,
        () => true,
      ),
    )
    await unlock()
    expect(await answer).toMatchObject({ status: 201, body: { data: { name: 'In flight' } } })
    expect((await service.finished).code).toBe(0)
    expect((await holder.query('select name from contact')).rows).toEqual([{ name: 'In flight' }])
  })

  test('cuts a request off that does not finish, and ends with 0 within ten seconds', async () => {
    const { service, answer, holder } = await serverAtWork()
    const begin = Date.now()
    service.child.kill('SIGTERM')
    const { code } = await service.finished
    expect(code).toBe(0)
    expect(Date.now() - begin).toBeLessThan(10_000)
    expect(await answer).toMatchObject({ message: 'fetch failed' })
    await holder.query('commit')
    expect((await holder.query('select name from contact')).rows).toEqual([])
  })

  test('a second one ends the process at once, with 1', async () => {
    const { service } = await serverAtWork()
    service.child.kill('SIGTERM')
    await service.prints(/"msg":"stopping"/)
    await delay(600) // an earlier one counts as the same
    service.child.kill('SIGTERM')
    expect((await service.finished).code).toBe(1)
  })

  test('at any moment of the start ends it with 0', async () => {
    const settings = { DATABASE_URL: await ownDatabase({ empty: true }), ...TELL_WHEN_LISTENING }
    const whole = start(['serve', '--port', '0'], settings)
    const begin = performance.now()
    await whole.prints(/listens to SIGTERM/)
    const handled = performance.now() - begin
    await whole.prints(REST)
    const ready = performance.now() - begin
    // Before it loads the program, which is what takes the time.
    expect(handled).toBeLessThan(ready / 2)
    whole.child.kill('SIGTERM')
    expect((await whole.finished).code).toBe(0)

    const moments = [0, 50, 200, 500, ready - handled - 100]
    for (const ms of moments) {
      const service = start(['serve', '--port', '0'], settings)
      await service.prints(/listens to SIGTERM/)
      await delay(ms)
      service.child.kill('SIGTERM')
      const { code, signal, stderr } = await service.finished
      expect({ ms, code, signal, stderr }).toMatchObject({ code: 0, signal: null })
    }
  })

  test('while another process migrates, the wait for it ends and nothing is migrated', async () => {
    const url = await ownDatabase({ empty: true })
    const other = await connect(url)
    await other.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
    const service = start(['serve', '--port', '0'], { DATABASE_URL: url })
    await waitFor('wait for the lock', async () => {
      // It asks for the lock again and again, and holds nothing meanwhile.
      const tried = `select from pg_stat_activity where datname = current_database() and query = 'rollback'`
      return Boolean((await other.query(tried)).rowCount)
    })
    service.child.kill('SIGTERM')
    expect(await service.finished).toMatchObject({ code: 0, stdout: '' })
    expect((await other.query("select to_regclass('contact') as contact")).rows).toEqual([{ contact: null }])
  })

  const older = olderNode()
  const withOlderNode = older ? test : test.skip

  withOlderNode('reaches the server through an older Node.js too, which hands over to the right one', async () => {
    const service = launch(older!, [MAIN, 'serve', '--port', '0'], { DATABASE_URL: await ownDatabase() })
    processes.push(service)
    const origin = await service.prints(REST)
    service.child.kill('SIGTERM')
    expect((await service.finished).code).toBe(0)
    await expect(fetch(`${origin}/healthz`)).rejects.toThrow()
  })
})

/** A Node.js of the machine that is too old for us, if there is one. */
function olderNode(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'))
  const node = folders.map((folder) => join(folder, 'node')).find((file) => existsSync(file))
  const include = node && join(node, '..', '..', 'include', 'node', 'node_version.h')
  if (!include || !existsSync(include)) return undefined
  const major = /#define NODE_MAJOR_VERSION (\d+)/.exec(readFileSync(include, 'utf8'))?.[1]
  return Number(major) < 24 ? node : undefined
}

test('worker runs until it is told to stop, and ends with 0', async () => {
  const worker = start(['worker'], { DATABASE_URL: await ownDatabase() })
  await worker.prints(/worker is ready/)
  worker.child.kill('SIGTERM')
  expect(await worker.finished).toMatchObject({ code: 0, stdout: '' })
})

describe('npm start', () => {
  let dataDir: string

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'fairlead start '))
    chmodSync(dataDir, 0o755) // the server of a superuser runs as another account, which must get in
    cleanups.push(async () => {
      for (const pid of ours()) process.kill(pid, 'SIGKILL')
      await waitFor('end of every process', () => ours().length === 0)
      rmSync(dataDir, { recursive: true, force: true })
    })
  })

  /** Every process that works with the test's data folder. */
  function ours(): number[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => readProc(pid, 'cmdline').includes(dataDir) || readProc(pid, 'environ').includes(dataDir))
      .filter((pid) => !/^\d+ \(.*\) Z/.test(readProc(pid, 'stat')))
  }

  /** The process that serves: node itself, below npm. */
  const server = () => ours().find((pid) => /\0scripts\/start\.mjs\0/.test(readProc(pid, 'cmdline')))
  const postmaster = () => ours().find((pid) => /postgres\0-D\0/.test(readProc(pid, 'cmdline')))

  function npmStart(settings: Record<string, string> = {}, detached = false): Running {
    const quiet = { npm_config_logs_max: '0', npm_config_update_notifier: 'false' }
    const own = { ...TELL_WHEN_LISTENING, DATA_DIR: dataDir, NODE_ENV: 'production' }
    const npm = launch('npm', ['start', '--', '--port', '0'], { ...quiet, ...own, ...settings }, detached)
    processes.push(npm)
    return npm
  }

  test('a killed server leaves its database to the next one, and SIGTERM to npm ends everything with 0', async () => {
    const first = npmStart()
    const key = await first.prints(/API key +(fl_live_\w+)/)
    const client = createClient(await first.prints(REST), key)
    expect((await client.post('/contacts', { name: 'Kept' })).status).toBe(201)
    const database = postmaster()
    process.kill(server()!, 'SIGKILL')
    expect((await first.finished).code).not.toBe(0)
    expect(database).toBeGreaterThan(0)
    expect(postmaster()).toBe(database)

    const second = npmStart()
    const list = await createClient(await second.prints(REST), key).get('/contacts?search=kept')
    expect([list.status, list.body.pagination?.total]).toEqual([200, 1])
    expect(postmaster()).toBe(database)
    second.child.kill('SIGTERM')
    const { code, stdout } = await second.finished
    expect(code).toBe(0)
    expect(stdout).not.toContain('fl_live_')
    expect(ours()).toEqual([])
  })

  test('a Ctrl-C, which npm passes on to the server that has had it, ends everything with 0', async () => {
    const npm = npmStart({}, true)
    await npm.prints(REST)
    process.kill(-npm.pid, 'SIGINT') // all of the group, as a terminal does
    expect(await npm.finished).toMatchObject({ code: 0, signal: null })
    expect(ours()).toEqual([])
  })

  test('two at once in a fresh folder both serve: one makes the demo account, the other finds it', async () => {
    const both = [npmStart(), npmStart()]
    const origins = await Promise.all(both.map((npm) => npm.prints(REST)))
    const key = await Promise.any(both.map((npm) => npm.prints(/API key +(fl_live_\w+)/)))
    for (const origin of origins) {
      const list = await createClient(origin, key).get('/contacts?limit=1')
      expect([list.status, list.body.pagination?.total]).toEqual([200, 40])
    }
    for (const npm of both) npm.child.kill('SIGTERM')
    const ended = await Promise.all(both.map((npm) => npm.finished))
    expect(ended.map(({ code }) => code)).toEqual([0, 0])
    expect(ended.filter(({ stdout }) => stdout.includes(key))).toHaveLength(1)
    expect(ended.filter(({ stdout }) => /was shown when the demo account was made/.test(stdout))).toHaveLength(1)
    expect(ours()).toEqual([])
  })

  test('a database that somebody else provides gets no demo data', async () => {
    const url = await ownDatabase({ empty: true })
    const npm = npmStart({ DATABASE_URL: url })
    await npm.prints(REST)
    npm.child.kill('SIGTERM')
    const { code, stdout } = await npm.finished
    expect([code, stdout.includes('fl_live_')]).toEqual([0, false])
    const database = await connect(url)
    expect((await database.query('select from account')).rowCount).toBe(0)
    expect(ours()).toEqual([])
  })

  test('SIGTERM to npm while the server still starts ends everything with 0', async () => {
    for (const ms of [0, 800]) {
      const npm = npmStart()
      await npm.prints(/listens to SIGTERM/)
      await delay(ms)
      npm.child.kill('SIGTERM')
      const { code, signal, stderr } = await npm.finished
      expect({ ms, code, signal, stderr }).toMatchObject({ code: 0, signal: null })
      expect(ours()).toEqual([])
    }
  })
})
