// npm run test:soak [-- --minutes 10 --connections 16 --contacts 20000 --opportunities 20000 --work DIR]
// Reads and writes of all kinds at once, as many as the machine bears, on a server with its worker, for minutes. Exits with 1
// when an answer was wrong, when memory goes on growing, or when tables fill with what was changed and not cleared away.
import { mkdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { acquireEmbeddedPostgres } from '../dist/embedded-postgres/index.js'
import { log, seeded } from './lib/accounts.mjs'
import { Bench, median } from './lib/bench.mjs'

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    connections: { type: 'string', default: '16' },
    contacts: { type: 'string', default: '20000' },
    others: { type: 'string', default: '20000' },
    opportunities: { type: 'string', default: '20000' },
    work: { type: 'string', default: join(tmpdir(), 'fairlead-soak') },
  },
})
const WINDOW_SECONDS = 20
/** How much more memory the last third of the time may take than the one before. */
const GROWTH = 1.1
/** Of a table with many rows, how many outdated ones there may be beside the ones that count. */
const BLOAT = 0.5
const FEW_ROWS = 20_000

mkdirSync(options.work, { recursive: true })
const postgres = await acquireEmbeddedPostgres({ dataDir: options.work, name: 'fairlead' })
try {
  process.exitCode = (await soak(seeded(postgres.url, { ...options, scaling: false }))) ? 0 : 1
} finally {
  await postgres.release()
}

async function soak(accounts) {
  const bench = await Bench.start(postgres, accounts, { ...options, worker: true })
  try {
    const workloads = await mixed(bench)
    const each = Math.max(1, Math.round(+options.connections / workloads.length))
    const windows = []
    for (const until = Date.now() + +options.minutes * 60_000; Date.now() < until; ) {
      const results = await Promise.all(
        workloads.map(([, workload, ids]) => bench.window(workload, ids, each, { seconds: WINDOW_SECONDS })),
      )
      const memory = residentMiB(bench.server.pid)
      const requests = results.reduce((sum, { rps }) => sum + rps, 0)
      windows.push({ results, memory })
      log(`${requests.toFixed(0)} requests/s, memory ${memory.toFixed(0)} MiB`)
    }
    report(bench, workloads, windows)
    return judge(windows, await bloated())
  } finally {
    await bench.stop()
  }
}

/** What is asked all the time: names with workloads and the ids that they take. */
async function mixed(bench) {
  const contacts = await bench.ids('/contacts')
  const opportunities = await bench.ids('/opportunities')
  const [{ stages }] = await bench.ask('/pipelines')
  const move = ({ id }) => bench.send('PATCH', '/opportunities/{{id}}/stage', { stage_id: id })
  const body = { name: 'Soak {{n}}', email: 'soak-{{n}}@example.com', company: 'Soak Ltda' }
  const once = { 'Idempotency-Key': 'soak-{{n}}' }
  return [
    ['list contacts', bench.get('/contacts')],
    ['get a contact', bench.get('/contacts/{{id}}'), contacts],
    ['search contacts', bench.get('/contacts?search={{q}}')],
    ['list opportunities', bench.get('/opportunities?limit=20')],
    ['funnel', bench.get('/reports/funnel')],
    ['create a contact', bench.send('POST', '/contacts', body, once)],
    ['change a contact', bench.send('PUT', '/contacts/{{id}}', { company: 'Soak {{n}}' }), contacts],
    ['move an opportunity', move(stages[1]), opportunities],
    ['move it back', move(stages[2]), opportunities],
    ['create an opportunity', bench.send('POST', '/opportunities', body, once)],
  ].map(([name, workload, ids = []]) => [name, workload, ids])
}

function report(bench, workloads, windows) {
  const rows = workloads.map(([name], i) => {
    const middle = (key) => median(windows.map(({ results }) => results[i][key]))
    const worst = Math.max(...windows.map(({ results }) => results[i].p99))
    return [name, ...['rps', 'p50', 'p99'].map(middle), worst]
  })
  bench.table(`${options.minutes} minutes of all at once`, rows, [
    'work',
    'requests/s',
    'p50 ms',
    'p99 ms',
    'worst p99 ms',
  ])
}

function judge(windows, tables) {
  const faults = []
  const bad = windows.flatMap(({ results }) => results).filter(({ non2xx, errors }) => non2xx + errors > 0)
  for (const { non2xx, errors, firstBad } of bad)
    faults.push(`${non2xx} wrong answers, ${errors} errors: ${firstBad?.split('\r\n')[0]}`)
  const third = Math.floor(windows.length / 3)
  const memoryOf = (from, to) => median(windows.slice(from, to).map(({ memory }) => memory))
  if (third > 0) {
    const [before, after] = [memoryOf(third, 2 * third), memoryOf(2 * third)]
    console.log(`\nMemory of the server, second and last third: ${before.toFixed(0)} and ${after.toFixed(0)} MiB`)
    if (after > before * GROWTH) faults.push('the memory of the server goes on growing')
  }
  for (const { name, live, dead } of tables) faults.push(`${name} has ${dead} outdated rows beside ${live}`)
  for (const fault of faults) console.error(`FAILED: ${fault}`)
  return faults.length === 0
}

/** Tables with more outdated rows than they should have. */
async function bloated() {
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  try {
    const { rows } = await client.query(
      'select relname as name, n_live_tup::int as live, n_dead_tup::int as dead from pg_stat_user_tables',
    )
    console.log(`\nOutdated rows: ${rows.reduce((sum, { dead }) => sum + dead, 0)}`)
    return rows.filter(({ live, dead }) => dead > FEW_ROWS && dead > live * BLOAT)
  } finally {
    await client.end()
  }
}

/** Resident memory of a process, in MiB. */
function residentMiB(pid) {
  return /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1] / 1024
}
