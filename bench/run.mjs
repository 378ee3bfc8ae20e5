// npm run bench [-- --seconds 5 --rounds 3 --connections 16 --contacts 100000 --others 200000 --no-scaling --work DIR]
// Measures the built server on a seeded PostgreSQL of its own, kept in the work folder for the next run.
import { execFileSync, fork, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { acquireEmbeddedPostgres } from '../dist/database/embedded/index.js'
import { cpuMs, peakMiB } from './lib/processes.mjs'

const { values: options } = parseArgs({
  allowNegative: true,
  options: {
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '16' },
    contacts: { type: 'string', default: '100000' },
    others: { type: 'string', default: '200000' },
    scaling: { type: 'boolean', default: true },
    work: { type: 'string', default: join(tmpdir(), 'fairlead-own-bench') },
  },
})
const main = fileURLToPath(new URL('../dist/main.js', import.meta.url))
const TERMS = ['gina lopes', 'acme 12', 'everest 5', 'hugo neves', 'user12', 'granite 77', 'Barbosa']
const log = (...words) => console.error(new Date().toISOString().slice(11, 19), ...words)

mkdirSync(options.work, { recursive: true })
const postgres = await acquireEmbeddedPostgres({ dataDir: options.work })
const env = { ...process.env, DATABASE_URL: postgres.url, NODE_ENV: 'production', LOG_LEVEL: 'warn' }
const fairlead = (...args) => {
  const out = execFileSync(process.execPath, [main, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] }).toString()
  return out.startsWith('{') ? JSON.parse(out) : {}
}

/** Accounts by size, seeded once for a work folder. */
function seeded() {
  const file = join(options.work, `seeded-${options.contacts}-${options.others}-${options.scaling}.json`)
  fairlead('migrate')
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'))
  const account = (name, contacts, notes) => {
    log(`seeding ${contacts} contacts`)
    const { account_id } = fairlead('account', 'create', '--name', name, '--json')
    const { rows_per_second } = fairlead(
      ...['seed', '--account', account_id, '--contacts', String(contacts), '--notes', notes, '--json'],
    )
    log(`${rows_per_second} rows a second`)
    const permissions = ['--permissions', '*', '--rate-limit', '1000000000']
    const { key } = fairlead('key', 'create', '--account', account_id, '--name', 'bench', ...permissions, '--json')
    return { contacts, key }
  }
  const accounts = {
    others: account('Others', options.others, '0'),
    measured: account('Measured', options.contacts, '2'),
  }
  if (options.scaling) {
    accounts.small = account('Small', 1000, '0')
    accounts.large = account('Large', 1_000_000, '0')
  }
  writeFileSync(file, JSON.stringify(accounts))
  return accounts
}

const freePort = () =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address()
      probe.close(() => resolve(port))
    })
  })

async function startServer() {
  const port = await freePort()
  const child = spawn(process.execPath, [main, 'serve', '--no-worker', '--port', String(port)], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const base = `http://127.0.0.1:${port}`
  for (const until = Date.now() + 60_000; ; await new Promise((r) => setTimeout(r, 100))) {
    if (child.exitCode !== null || Date.now() > until) throw new Error('the server does not start')
    if ((await fetch(`${base}/readyz`).catch(() => undefined))?.ok) return { child, base }
  }
}

let firstNumber = Date.now() * 1000
/** One window of load; the CPU clocks are read at its beginning and its end. */
function measure(server, workload, ids) {
  return new Promise((done, fail) => {
    const generator = fork(new URL('lib/load.mjs', import.meta.url))
    const clocks = () => ({ server: cpuMs(server.pid), postgres: cpuMs(postgres.pid) })
    let [before, result] = []
    generator.on('message', (message) => {
      if (message.measuring) before = clocks()
      else if (message.requests !== undefined) {
        const after = clocks()
        const cpu = (name) => (after[name] - before[name]) / message.requests
        result = { ...message, serverCpu: cpu('server'), postgresCpu: cpu('postgres') }
      }
    })
    generator.on('exit', () => (result ? done(result) : fail(new Error('the load generator failed'))))
    const { connections, seconds } = options
    generator.send({
      workload,
      ids,
      terms: TERMS,
      connections: +connections,
      seconds: +seconds,
      warmup: 1,
      firstNumber,
    })
    firstNumber += 10_000_000
  })
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]

async function row(name, server, workload, ids) {
  const rounds = []
  for (let i = 0; i < +options.rounds; i++) rounds.push(await measure(server, workload, ids))
  const bad = rounds.reduce((sum, { non2xx, errors }) => sum + non2xx + errors, 0)
  if (bad > 0) log(`WRONG: ${name}: ${bad} bad answers: ${rounds.find(({ firstBad }) => firstBad)?.firstBad}`)
  const middle = (key) => median(rounds.map((round) => round[key]))
  log(`${name}: ${middle('rps').toFixed(0)}/s`)
  return [name, ...['rps', 'p50', 'p99', 'serverCpu', 'postgresCpu'].map((key) => middle(key)), bad]
}

function print(title, head, rows) {
  const shown = (value) =>
    typeof value !== 'number' || Number.isInteger(value)
      ? String(value)
      : value >= 100
        ? value.toFixed(0)
        : value.toFixed(2)
  const lines = [head, head.map(() => '---'), ...rows.map((cells) => cells.map(shown))]
  console.log(`\n${title}\n\n${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}`)
}

const HEAD = ['work', 'requests/s', 'p50 ms', 'p99 ms', 'server CPU ms', 'PostgreSQL CPU ms', 'bad']

async function run() {
  const accounts = seeded()
  const { child, base } = await startServer()
  try {
    const api = `${base}/external/v1`
    const headers = { 'X-API-Key': accounts.measured.key }
    const ask = async (path) => (await (await fetch(api + path, { headers })).json()).data
    const tags = (await ask('/tags')).slice(0, 2).map(({ id }) => id)
    const pages = await Promise.all(Array.from({ length: 20 }, (_, i) => ask(`/contacts?limit=100&page=${i + 1}`)))
    const ids = pages.flat().map(({ id }) => id)
    const body = { name: 'Bench {{n}}', email: 'bench-{{n}}@example.com', company: 'Bench Ltda', tags }
    const create = {
      method: 'POST',
      url: `${api}/contacts`,
      headers: { ...headers, 'Idempotency-Key': 'bench-{{n}}' },
      body: JSON.stringify(body),
    }
    const get = (path) => ({ url: api + path, headers })
    const rows = [
      await row('list 50', child, get('/contacts')),
      await row('get one', child, get('/contacts/{{id}}'), ids),
      await row('search', child, get('/contacts?search={{q}}')),
      await row('create', child, create),
    ]
    const machine = `${cpus().length} × ${cpus()[0].model}, ${options.connections} connections`
    print(`${machine}; an account of ${options.contacts} among ${options.others} others' contacts`, HEAD, rows)
    if (options.scaling) await scaling(child, api, accounts)
    console.log(`\nPeak memory of the server: ${peakMiB(child.pid).toFixed(0)} MiB`)
  } finally {
    child.kill('SIGTERM')
    await new Promise((resolve) => child.once('exit', resolve))
  }
}

async function scaling(server, api, { small, measured, large }) {
  const rows = []
  for (const { contacts, key } of [small, measured, large]) {
    for (const page of [1, 1000]) {
      if (page * 50 > contacts) continue
      const workload = { url: `${api}/contacts?page=${page}`, headers: { 'X-API-Key': key } }
      rows.push(await row(`${contacts} contacts, page ${page}`, server, workload))
    }
  }
  print('A list of 50 by the size of the account', HEAD, rows)
}

try {
  await run()
  // What was created is taken away, so that the next run finds what this one found.
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  await client.query("delete from contact where email like 'bench-%'; delete from idempotency_record")
  await client.end()
} finally {
  await postgres.release()
}
