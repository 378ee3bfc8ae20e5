import { spawnSync } from 'node:child_process'
import {
  chownSync,
  lchownSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { choosePlacement } from '../../../src/embedded-postgres/placement.js'
import { startPostmaster } from '../../../src/embedded-postgres/postmaster.js'
import { EmbeddedBench, processesOf, query, until } from '../../support/embedded.js'

// PostgreSQL refuses to run as root, so as root there is an account to choose.
const asRoot = process.getuid?.() === 0 ? test : test.skip
const NOBODY = 65_534

let bench: EmbeddedBench
beforeAll(() => {
  bench = new EmbeddedBench()
})
afterEach(() => bench.releaseAll())
afterAll(() => bench.remove())

const uidOf = (path: string) => statSync(path).uid
function giveTo(folder: string, uid: number): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    lchownSync(join(folder, name), uid, uid)
  chownSync(folder, uid, uid)
}

const isNamed = (uid: number) => spawnSync('id', ['-un', String(uid)]).status === 0

asRoot('under a folder closed to other accounts, the cluster is placed elsewhere and found again', async () => {
  const closed = bench.folder('closed')
  mkdirSync(closed, { mode: 0o700 })
  const dataDir = join(closed, 'data')
  const first = await bench.acquire(dataDir)
  const home = readFileSync(join(dataDir, 'location'), 'utf8').trim()
  try {
    expect(basename(home)).toMatch(/^leads-[0-9a-f]{12}$/)
    await query(first.url, 'create table kept (value text)')
    await first.release()
    const second = await bench.acquire(dataDir)
    expect(second.fresh).toBe(false)
    expect(await query(second.url, 'select value from kept')).toEqual([])
    await second.release()
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
})

asRoot('the server runs under an account that nothing else has, to which only the cluster belongs', async () => {
  const dataDir = bench.folder()
  const { pid, release } = await bench.acquire(dataDir)
  const cluster = join(dataDir, 'postgres')
  const uid = uidOf(cluster)
  expect([0, NOBODY]).not.toContain(uid)
  expect(isNamed(uid)).toBe(false)
  const owners = readdirSync(cluster, { recursive: true, encoding: 'utf8' }).map((name) => uidOf(join(cluster, name)))
  expect(new Set(owners)).toEqual(new Set([uid]))
  const others = readdirSync(dataDir).filter((name) => name !== 'postgres')
  expect(others.map((name) => uidOf(join(dataDir, name)))).toEqual(others.map(() => 0))
  expect(processesOf(uid)).toContain(pid)
  await release()
  expect(processesOf(uid)).toEqual([])
  await bench.acquire(dataDir)
  expect(uidOf(cluster)).toBe(uid)
})

asRoot('a cluster of an earlier version is taken over from nobody once its server has stopped', async () => {
  const dataDir = bench.folder('older')
  const cluster = join(dataDir, 'postgres')
  const first = await bench.acquire(dataDir)
  const own = uidOf(cluster)
  await query(first.url, 'create table kept (value text)')
  await first.release()
  giveTo(cluster, NOBODY)
  // What nobody linked into it to be given it.
  const bait = bench.folder('bait')
  writeFileSync(bait, 'of root')
  linkSync(bait, join(cluster, 'bait'))

  const second = await bench.acquire(dataDir)
  expect(uidOf(cluster)).toBe(own)
  expect(uidOf(join(cluster, 'PG_VERSION'))).toBe(own)
  expect(uidOf(bait)).toBe(0)
  expect(await query(second.url, 'select value from kept')).toEqual([])
})

asRoot(
  'a running server of an earlier version, under nobody, is joined, and taken over at its next start',
  async () => {
    const dataDir = bench.folder('running')
    const cluster = join(dataDir, 'postgres')
    await (await bench.acquire(dataDir)).release()
    const own = uidOf(cluster)
    giveTo(cluster, NOBODY)
    const place = await choosePlacement(dataDir, 'leads', () => {})
    giveTo(cluster, NOBODY) // which the look at the place has just mended
    const password = readFileSync(join(dataDir, 'postgres.password'), 'utf8').trim()
    const login = { user: 'postgres', password, application: 'test' }
    const older = { ...place, runner: { uid: NOBODY, gid: NOBODY } }
    const { pid } = await startPostmaster(older, login, { unix_socket_directories: '', listen_addresses: '127.0.0.1' })

    const joined = await bench.acquire(dataDir)
    expect([joined.pid, uidOf(cluster)]).toEqual([pid, NOBODY])
    expect(await query(joined.url, 'select 1 as answer')).toEqual([{ answer: 1 }])
    process.kill(pid, 'SIGKILL')
    await until('server of our own', () => joined.pid !== pid)
    expect([uidOf(cluster), uidOf(join(cluster, 'PG_VERSION'))]).toEqual([own, own])
    expect(await query(joined.url, 'select 1 as answer')).toEqual([{ answer: 1 }])
  },
)

asRoot('in a folder of an ordinary account, the server runs as that account', async () => {
  const dataDir = bench.folder('owned')
  const [, uid, gid] = readFileSync('/etc/passwd', 'utf8').match(/^daemon:[^:]*:(\d+):(\d+):/m)!
  mkdirSync(dataDir)
  chownSync(dataDir, Number(uid), Number(gid))
  await bench.acquire(dataDir)
  const owners = readdirSync(dataDir).map((name) => statSync(join(dataDir, name)).uid)
  expect(new Set(owners)).toEqual(new Set([Number(uid)]))
})

asRoot('in a folder whose owner has no name here, the server runs under an account of its own', async () => {
  const dataDir = bench.folder('nameless')
  mkdirSync(dataDir)
  chownSync(dataDir, 12_345, 12_345)
  await bench.acquire(dataDir)
  expect([0, 12_345, NOBODY]).not.toContain(uidOf(join(dataDir, 'postgres')))
})
