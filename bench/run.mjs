// npm run bench [-- --seconds 5 --rounds 3 --connections 16 --contacts 100000 --others 200000 --opportunities 100000]
//   [--suites contacts,opportunities,reports,copies,people,agencies,flows,agents,fairness,tools] [--no-scaling] [--work DIR] [--assert]
//   [--own 10000] [--rate 200] [--told 60] [--no-creations] [--parts sessions,logins,sellers] [--due 10000]
// Of the suite people `--own` is how much is the seller's, `--rate` how many reads a second there are beside the logins.
// Of the suite agents `--told` is for how many seconds 1,000 messages a second come in; without creations it is that alone, as `flows` is the mails.
// Of the suite fairness parts are kinds of heavy calls (`--parts searches`).
// Measures the built server on a seeded PostgreSQL of its own, kept in the work folder for the next run.
// `--assert` measures instead what no call may cost, on small accounts, and exits with 1 when a figure is above its limit.
import { mkdirSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { acquireEmbeddedPostgres } from '../dist/embedded-postgres/index.js'
import { seeded } from './lib/accounts.mjs'
import { Bench } from './lib/bench.mjs'
import { forgetPeak, peakMiB } from './lib/processes.mjs'

const { values: options } = parseArgs({
  allowNegative: true,
  options: {
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '16' },
    contacts: { type: 'string', default: '100000' },
    others: { type: 'string', default: '200000' },
    opportunities: { type: 'string', default: '100000' },
    suites: { type: 'string', default: 'contacts,opportunities,reports,copies,people,agencies,flows,agents' },
    own: { type: 'string', default: '10000' },
    rate: { type: 'string', default: '200' },
    creations: { type: 'boolean', default: true },
    told: { type: 'string', default: '60' },
    due: { type: 'string', default: '10000' },
    parts: { type: 'string', default: 'sessions,logins,sellers' },
    scaling: { type: 'boolean', default: true },
    assert: { type: 'boolean', default: false },
    work: { type: 'string', default: join(tmpdir(), 'fairlead-own-bench') },
  },
})
if (options.assert) Object.assign(options, { contacts: '20000', others: '20000', opportunities: '0', scaling: false })

mkdirSync(options.work, { recursive: true })
const postgres = await acquireEmbeddedPostgres({ dataDir: options.work, name: 'fairlead' })
try {
  const accounts = seeded(postgres.url, options)
  if (options.assert) await assertLimits(accounts)
  else await measure(accounts)
} finally {
  await postgres.release()
}

async function measure(accounts) {
  const bench = await Bench.start(postgres, accounts, options)
  console.log(`${cpus().length} × ${cpus()[0].model}, ${options.connections} connections`)
  try {
    const peaks = []
    for (const name of options.suites.split(',')) {
      const { default: run } = await import(`./suites/${name}.mjs`)
      await run(bench)
      peaks.push([name, peakMiB(bench.server.pid)])
      forgetPeak(bench.server.pid)
    }
    const most = Math.max(...peaks.map(([, peak]) => peak))
    const each = peaks.map(([name, peak]) => `${name} ${peak.toFixed(0)}`).join(', ')
    console.log(`\nPeak memory of the server: ${most.toFixed(0)} MiB (${each})`)
  } finally {
    await bench.stop()
  }
}

/** Prints each figure beside its limit. */
async function assertLimits(accounts) {
  const { default: limits } = await import('./suites/limits.mjs')
  console.log(`${cpus().length} × ${cpus()[0].model}, load ${loadavg()[0].toFixed(1)}`)
  console.log('\n| what | figure | limit | |\n| --- | --- | --- | --- |')
  const broken = (await limits(postgres, accounts)).filter(({ name, figure, limit, unit }) => {
    const holds = figure <= limit
    console.log(`| ${name} | ${figure.toFixed(0)} ${unit} | ≤ ${limit} | ${holds ? 'holds' : '**BROKEN**'} |`)
    return !holds
  })
  console.log(`load ${loadavg()[0].toFixed(1)}`)
  for (const { name, figure, limit, unit } of broken)
    console.error(`above its limit: ${name}: ${figure} ${unit} > ${limit}`)
  if (broken.length > 0) process.exitCode = 1
}
