import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jest } from '@jest/globals'
import pg from 'pg'
import { createDatabase } from '../../support/cluster.js'
import { cleanEnvironment, expectFailure, type Finished, launch, MAIN, run } from './run.js'

jest.setTimeout(120_000)

// Seconds that a start may take to fail; on a busy machine much goes by before our program runs at all.
const PATIENCE_MS = 50_000

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairlead settings '))
  chmodSync(folder, 0o755)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A failure that is the setting's: one sentence that names it, code 2, no stack, soon. */
async function refused(settings: Record<string, string>, says: RegExp, ...args: string[]): Promise<void> {
  const begin = performance.now()
  const finished = await run(args.length > 0 ? args : ['serve', '--port', '0'], settings)
  expectSetting(finished, says)
  expect(performance.now() - begin).toBeLessThan(PATIENCE_MS)
}

function expectSetting(finished: Finished, says: RegExp): void {
  const own = { ...finished, stderr: finished.stderr.replace(/^\{"level":"info".*\n/gm, '') }
  expectFailure(own, { code: 2, says })
  expect(own.stderr.trimEnd().split('\n')).toHaveLength(1)
}

describe('HOST', () => {
  let DATABASE_URL: string
  let drop: () => Promise<unknown>
  beforeAll(async () => {
    ;({ url: DATABASE_URL, drop } = await createDatabase())
  })
  afterAll(() => drop())

  test.each([
    ['nowhere.invalid', /^fairlead: HOST: the name "nowhere.invalid" cannot be looked up\n$/],
    ['203.0.113.7', /^fairlead: HOST: this machine has no address "203.0.113.7" to listen on \(EADDRNOTAVAIL\)\n$/],
    ['bad host', /^fairlead: HOST must be an IP address or a host name, not "bad host"\n$/],
  ])('%s is refused by name', async (host, says) => {
    await refused({ DATABASE_URL, HOST: host }, says)
  })
})

describe('DATA_DIR', () => {
  test('that is a file, below a file or in /proc is refused by name', async () => {
    const file = join(folder, 'file')
    writeFileSync(file, '')
    await refused({ DATA_DIR: file }, /^fairlead: DATA_DIR: The data folder .*file cannot be used: it is not a folder/)
    await refused({ DATA_DIR: join(file, 'x') }, /^fairlead: DATA_DIR: .* lies below something that is none/)
    await refused({ DATA_DIR: '/proc/x' }, /^fairlead: DATA_DIR: The data folder \/proc\/x cannot be used/)
  })

  const asRoot = process.getuid?.() === 0 ? test : test.skip

  asRoot('that this user may not write to is refused by name', async () => {
    const closed = join(folder, 'closed')
    mkdirSync(closed, { mode: 0o755 })
    const env = cleanEnvironment({ DATA_DIR: closed, HOME: '/' })
    const child = spawn(process.execPath, [MAIN, 'serve', '--port', '0'], { env, uid: 12_345, gid: 12_345 })
    const finished = await new Promise<Finished>((resolve) => {
      const printed = { stdout: '', stderr: '' }
      child.stdout.on('data', (text) => {
        printed.stdout += text
      })
      child.stderr.on('data', (text) => {
        printed.stderr += text
      })
      child.on('close', (code, signal) => resolve({ code, signal, ...printed }))
    })
    expectSetting(
      finished,
      /^fairlead: DATA_DIR: The data folder .*closed cannot be used: this user may not write there/,
    )
  })

  asRoot('on a full disk is refused by name', async () => {
    const disk = join(folder, 'disk')
    mkdirSync(disk)
    expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=20m', 'tmpfs', disk]).status).toBe(0)
    try {
      await refused(
        { DATA_DIR: join(disk, 'data') },
        /^fairlead: DATA_DIR: The file system of .* is full: \d+ MiB are free/,
      )
    } finally {
      spawnSync('umount', [disk])
    }
  })
})

test('a database that is not in UTF-8 is refused by name', async () => {
  const admin = new pg.Client({ connectionString: process.env.TEST_ADMIN_URL })
  await admin.connect()
  const name = `latin_${process.pid}`
  await admin.query(
    `create database ${name} encoding 'LATIN1' locale_provider libc lc_collate 'C' lc_ctype 'C' template template0`,
  )
  try {
    const address = Object.assign(new URL(process.env.TEST_ADMIN_URL!), { pathname: `/${name}` }).href
    const says = /^fairlead: DATABASE_URL: the database is in LATIN1, and must be in UTF8: create one with encoding/
    await refused({ DATABASE_URL: address }, says)
    await refused({ DATABASE_URL: address }, says, 'migrate')
  } finally {
    await admin.query(`drop database ${name} with (force)`)
    await admin.end()
  }
})

test('an unknown and a malformed setting are refused by name, by npm start too', async () => {
  await refused({ CLUSTER: 'banana' }, /^fairlead: CLUSTER must be true or false, not "banana"\n$/)
  await refused(
    { DATABASE_URI: 'x' },
    /^fairlead: DATABASE_URI is not a setting: is DATABASE_URL meant\?\n$/,
    'migrate',
  )
  const quiet = { npm_config_logs_max: '0', npm_config_update_notifier: 'false' }
  const npm = await launch('npm', ['start'], { ...quiet, CLUSTER: 'banana' }).finished
  expect(npm.code).toBe(2)
  expect(npm.stderr).toContain('fairlead: CLUSTER must be true or false')
  expect(npm.stderr).not.toContain('    at ')
})
