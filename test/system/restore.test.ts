import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { jest } from '@jest/globals'
import { query } from '../support/embedded.js'
import { describeWith } from '../support/programs.js'
import { type SystemPostgres, startSystemPostgres, systemPostgresBin } from '../support/system-postgres.js'
import { launch, type Running, run, start } from './cli/run.js'

// Two servers, two gateways and a dozen commands of a second each.
jest.setTimeout(300_000)

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const GUIDE = readFileSync(join(ROOT, 'docs/operating.md'), 'utf8')
/** The lines of the guide: those that save, and those that restore. */
const [SAVE, RESTORE] = [...GUIDE.split('## Backup')[1]!.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, lines]) => lines!)
const { paths } = JSON.parse(readFileSync(join(ROOT, 'schema/openapi/external.json'), 'utf8'))
const READS = Object.keys(paths).filter((path) => 'get' in paths[path])

const bin = systemPostgresBin()
const programs = [bin ? join(bin, 'postgres') : 'postgres', bin ? join(bin, 'pg_dump') : 'pg_dump', 'setpriv']

describeWith(programs, 'what one server had, saved and restored onto another', () => {
  let servers: [SystemPostgres, SystemPostgres]
  let folder: string
  /** The gateways over what was saved and over what was restored. */
  const gateways: { origin: string; running: Running }[] = []
  let keys: { demo: string; seeded: string }
  let migrated: string[]

  const urlOf = (n: number) => `${servers[n]!.url}/${n === 0 ? 'original' : 'restored'}`
  const settingsOf = (n: number) => ({
    DATABASE_URL: urlOf(n),
    ROW_SECURITY: 'true',
    ENCRYPTION_KEY: 'c'.repeat(64),
    DATA_DIR: folder,
  })
  const command = async (...args: string[]) => {
    const { code, stdout, stderr } = await run([...args, '--json'], settingsOf(0))
    if (code !== 0) throw new Error(stderr + stdout)
    return JSON.parse(stdout)
  }
  const shell = async (lines: string) => {
    const path = [bin, join(ROOT, 'node_modules/.bin'), process.env.PATH].join(':')
    const file = join(folder, 'fairlead.dump')
    const at = { PATH: path, DATABASE_URL: urlOf(0), SERVER_URL: servers[1].url }
    const here = lines.replaceAll('fairlead.dump', file)
    const { code, stdout, stderr } = await launch('bash', ['-ec', `cd '${ROOT}'\n${here}`], at).finished
    if (code !== 0) throw new Error(stderr + stdout)
    return stdout
  }
  const serve = async (n: number) => {
    const running = start(['serve', '--port', '0', '--no-worker', '--no-migrate'], settingsOf(n))
    gateways[n] = { running, origin: await running.prints(/REST +(http:\S+?)\/external/) }
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'fairlead-restore-'))
    servers = await Promise.all([startSystemPostgres(bin!), startSystemPostgres(bin!)])
    await query(`${servers[0].url}/postgres`, 'create database original')
    const demo = await command('demo')
    const { account_id: account } = await command('account', 'create', '--name', 'Seeded')
    await command('seed', '--account', account, '--contacts', '200', '--opportunities', '100', '--history')
    const { key } = await command('key', 'create', '--account', account, '--name', 'K', '--permissions', '*')
    keys = { demo: demo.api_key, seeded: key }
    // Before it is saved it has served: what a server makes at its first start is part of it.
    await serve(0)
    await shell(SAVE!)
    migrated = (await shell(RESTORE!)).split('\n')
    await serve(1)
  })
  afterAll(async () => {
    for (const { running } of gateways) {
      running.child.kill('SIGTERM')
      await running.finished
    }
    for (const server of servers ?? []) await server.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const ask = async (n: number, path: string, key: string) => {
    const response = await fetch(`${gateways[n]!.origin}/external/v1${path}`, {
      headers: { 'X-API-Key': key, 'X-Request-Id': 'read-after-restore' },
    })
    return { status: response.status, body: (await response.json()) as { data?: unknown } }
  }

  test('needs no migration, and its kept totals are right', () => {
    expect(migrated[0]).toBe('The database is up to date.')
    expect(migrated.slice(1, -1).length).toBeGreaterThan(0)
    for (const line of migrated.slice(1, -1)) expect(line).toMatch(/: right$/)
  })

  test('has the same tables, triggers, indexes and policies', async () => {
    const schemaOf = async (n: number) => {
      const args = ['--schema-only', '--no-owner', '--dbname', urlOf(n)]
      const { code, stdout, stderr } = await launch(join(bin!, 'pg_dump'), args).finished
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      // A dump is under a word of its own; and what was parsed once more has other brackets and casts that say the same.
      return stdout.replace(/^\\(un)?restrict .*$/gm, '').replaceAll(/::(text|character varying)|\[\]|[()]/g, '')
    }
    const [was, is] = await Promise.all([schemaOf(0), schemaOf(1)])
    const lines = { was: was.split('\n'), is: is.split('\n') }
    expect(lines.is.filter((line) => !lines.was.includes(line))).toEqual([])
    expect(lines.is).toHaveLength(lines.was.length)
    expect(is.match(/ENABLE ROW LEVEL SECURITY/g)!.length).toBeGreaterThan(40)
    expect(is).toContain('TO fairlead_tenant;')
  })

  test('has the same rows in each table', async () => {
    const rowsOf = async (n: number) => {
      const tables = await query<{ name: string }>(
        urlOf(n),
        `select format('%I.%I', schemaname, tablename) as name from pg_tables
         where schemaname not in ('pg_catalog', 'information_schema') order by 1`,
      )
      const parts = tables.map(
        ({ name }) =>
          `select '${name}' as name, count(*)::int as n, md5(string_agg(t::text, E'\\n' order by t::text)) as sum from ${name} t`,
      )
      return query<{ name: string; n: number; sum: string }>(urlOf(n), parts.join(' union all '))
    }
    const [was, is] = [await rowsOf(0), await rowsOf(1)]
    expect(is).toEqual(was)
    expect(is.filter(({ n }) => n > 0).length).toBeGreaterThan(40)
  })

  test('is answered for alike by the product, read by read, for each account', async () => {
    const seen: Record<string, number> = {}
    for (const key of [keys.demo, keys.seeded]) {
      for (const path of READS.filter((path) => !path.includes('{'))) {
        const [was, is] = await Promise.all([ask(0, path, key), ask(1, path, key)])
        expect({ path, ...is }).toEqual({ path, ...was })
        const rows = Array.isArray(was.body.data) ? (was.body.data as { id: string }[]) : []
        if (was.status === 200) seen[path] = Math.max(seen[path] ?? 0, rows.length)
        for (const below of READS.filter((one) => one.startsWith(`${path}/{`) && one.match(/\{/g)!.length === 1)) {
          const [first] = rows
          if (!first?.id) continue
          const its = below.replace(/\{\w+\}/, first.id)
          const [once, now] = await Promise.all([ask(0, its, key), ask(1, its, key)])
          expect({ its, ...now }).toEqual({ its, ...once })
          if (once.status === 200) seen[below] = 1
        }
      }
    }
    expect(seen).toMatchObject({ '/contacts': 50, '/contacts/{id}': 1, '/opportunities/{id}': 1 })
  })

  test('still keeps the accounts apart in PostgreSQL itself, and takes what is written', async () => {
    const [mine] = (await ask(1, '/contacts', keys.seeded)).body.data as { id: string }[]
    expect((await ask(1, `/contacts/${mine!.id}`, keys.demo)).status).toBe(404)
    const [counts] = await query<{ all: number; own: number; id: string }>(
      urlOf(1),
      `select count(*)::int as all, count(*) filter (where account_id = a.id)::int as own, a.id
       from contact, account a where a.name = 'Seeded' group by a.id`,
    )
    const asTenant = `?options=${encodeURIComponent(`-c role=fairlead_tenant -c app.account=${counts!.id}`)}`
    const [visible] = await query<{ n: number }>(urlOf(1) + asTenant, 'select count(*)::int as n from contact')
    expect(counts!.all).toBeGreaterThan(counts!.own)
    expect(visible).toEqual({ n: counts!.own })
    const made = await fetch(`${gateways[1]!.origin}/external/v1/contacts`, {
      method: 'POST',
      headers: { 'X-API-Key': keys.seeded, 'Content-Type': 'application/json' },
      body: '{"name": "Made after"}',
    })
    expect(made.status).toBe(201)
  })
})
