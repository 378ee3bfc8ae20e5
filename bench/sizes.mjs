// npm run build && node bench/sizes.mjs [--records 20000] [--writes 1000] [--seconds 10] [--connections 32]
// How much room things take: bytes in PostgreSQL for a record of each kind, with its indexes, and for what a write leaves
// behind; connections and memory of a gateway and of a worker. The figures of docs/operating.md come from here.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { acquireEmbeddedPostgres } from '../dist/embedded-postgres/index.js'
import { environment, log, main } from './lib/accounts.mjs'
import { peakMiB } from './lib/processes.mjs'
import { pause, startServer } from './lib/server.mjs'

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '20000' },
    writes: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '10' },
    connections: { type: 'string', default: '32' },
  },
})
const [records, writes, seconds, connections] = ['records', 'writes', 'seconds', 'connections'].map(
  (name) => +values[name],
)

/** How long a process is left alone before it is looked at. */
const SETTLING_MS = 10_000

const folder = mkdtempSync(join(tmpdir(), 'fairlead-sizes-'))
const postgres = await acquireEmbeddedPostgres({ dataDir: folder, name: 'fairlead' })
const database = new pg.Client({ connectionString: postgres.url, application_name: 'sizes' })
await database.connect()
try {
  const env = environment(postgres.url)
  const fairlead = (...args) =>
    JSON.parse(execFileSync(process.execPath, [main, ...args, '--json'], { env, stdio: ['ignore', 'pipe', 'inherit'] }))
  fairlead('migrate')
  console.log(`${cpus().length} × ${cpus()[0].model}; ${records} of each kind, ${writes} writes\n`)
  const lines = [...(await bytesOfRecords(fairlead)), ...(await ofProcesses(fairlead))]
  console.log(
    ['| what | takes |', '| --- | --- |', ...lines.map(([what, takes]) => `| ${what} | ${takes} |`)].join('\n'),
  )
} finally {
  await database.end()
  await postgres.release()
  rmSync(folder, { recursive: true, force: true })
}

/** Bytes of each table with its indexes and what lies outside of its rows, when all that is dead has been taken out. */
async function tables() {
  await database.query('vacuum (analyze)')
  const { rows } = await database.query(
    `select relname as name, pg_total_relation_size(oid)::float8 as bytes from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  )
  return Object.fromEntries(rows.map(({ name, bytes }) => [name, bytes]))
}

/** By how many bytes the tables grew while something was done, each of them. */
async function growth(work) {
  const before = await tables()
  await work()
  const after = await tables()
  return Object.fromEntries(Object.keys(after).map((name) => [name, after[name] - before[name]]))
}

/** Records as `seed` and the demo data make them: texts of a usual length, two tags on a contact. */
async function bytesOfRecords(fairlead) {
  const { account_id: account } = fairlead('account', 'create', '--name', 'Sizes')
  const amounts = ['--contacts', String(records), '--notes', '1', '--opportunities', String(records), '--history']
  log('seeding')
  const of = await growth(() => fairlead('seed', '--account', account, ...amounts))
  const sum = (is) => Object.keys(of).reduce((sum, name) => sum + (is(name) ? of[name] : 0), 0)
  const { rows } = await database.query('select count(*)::int as n from opportunity_history where account_id = $1', [
    account,
  ])
  fairlead('demo')
  const aside = ['contact_note', 'opportunity_history']
  return [
    ['a contact with two tags', rounded(sum((name) => /^contact/.test(name) && !aside.includes(name)) / records)],
    ['a note', rounded(of.contact_note / records)],
    ['an opportunity', rounded(sum((name) => /^opportunity/.test(name) && !aside.includes(name)) / records)],
    ['a step of its history', rounded(of.opportunity_history / rows[0].n)],
    ['a message', await bytesOfCopies('message')],
    ['an entry of the audit', await bytesOfCopies('audit_entry')],
  ]
}

/** A table's rows so often again, under new ids: those of the demo data and of the commands before. */
async function bytesOfCopies(table) {
  log(table)
  const { rows } = await database.query(
    `select string_agg(quote_ident(attname), ', ') as names, (select count(*)::int from ${table}) as n from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attname <> 'id'`,
    [table],
  )
  const [{ names, n }] = rows
  const times = Math.ceil(records / n)
  const of = await growth(() =>
    database.query(
      `insert into ${table} (id, ${names}) select gen_random_uuid(), ${names} from ${table}, generate_series(1, ${times})`,
    ),
  )
  return rounded(of[table] / (times * n))
}

function rounded(bytes) {
  return `${Math.round(bytes / 10) * 10} bytes`
}

/** What a gateway and a worker take at rest and at work, one after the other, and what each write over the API leaves beside its record. */
async function ofProcesses(fairlead) {
  const { account_id: account } = fairlead('account', 'create', '--name', 'Calls')
  const rights = ['--permissions', '*', '--rate-limit', '1000000000']
  const { key } = fairlead('key', 'create', '--account', account, '--name', 'K', ...rights)
  const gateway = await startServer(postgres.url)
  const call = async (path, init = {}) => {
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json', ...init.headers }
    const response = await fetch(gateway.api + path, { ...init, headers })
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`${path} was answered ${response.status}`)
  }
  const lines = []
  try {
    await pause(SETTLING_MS)
    lines.push(['a gateway at rest', await stateOf(gateway.child.pid)])
    log('writing')
    let n = 0
    const written = await growth(() =>
      together(async () => {
        if (++n > writes) return false
        const body = JSON.stringify({ name: `Contact ${n}`, email: `c${n}@example.com`, company: 'Aurora Ltda' })
        await call('/contacts', { method: 'POST', body, headers: { 'Idempotency-Key': `sizes-${n}` } })
        return true
      }),
    )
    log('reading')
    const end = Date.now() + seconds * 1000
    await together(async () => {
      await call('/contacts')
      return Date.now() < end
    })
    lines.push([`a gateway after ${connections} callers at once`, await stateOf(gateway.child.pid)])
    lines.unshift(['the kept answer of a call with an Idempotency-Key', rounded(written.idempotency_record / writes)])
  } finally {
    await gateway.stop()
  }
  const worker = spawn(process.execPath, [main, 'worker'], { env: environment(postgres.url), stdio: 'ignore' })
  while ((await openConnections()) === 0) await pause(100)
  await pause(SETTLING_MS)
  lines.push(['a worker', await stateOf(worker.pid)])
  const ended = once(worker, 'exit')
  worker.kill('SIGTERM')
  await ended
  return lines
}

/** Does something over and over in so many lines at once, each until it says that there is no more. */
async function together(step) {
  const line = async () => {
    while (await step());
  }
  await Promise.all(Array.from({ length: connections }, line))
}

/** Memory and connections of the only process of ours that is there. */
async function stateOf(pid) {
  const [, now] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  const mib = `${(now / 1024).toFixed(0)} MiB, at most ${peakMiB(pid).toFixed(0)}`
  return `${mib}; ${await openConnections()} connections`
}

async function openConnections() {
  const { rows } = await database.query(
    'select count(*)::int as n from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )
  return rows[0].n
}
