// npm run bench [-- --seconds 5 --rounds 3 --connections 16 --contacts 100000 --others 200000 --opportunities 100000]
//   [--suites contacts,opportunities,reports,copies] [--no-scaling] [--work DIR]
// Measures the built server on a seeded PostgreSQL of its own, kept in the work folder for the next run.
import { mkdirSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { acquireEmbeddedPostgres } from '../dist/embedded-postgres/index.js'
import { seeded } from './lib/accounts.mjs'
import { Bench } from './lib/bench.mjs'
import { peakMiB } from './lib/processes.mjs'

const { values: options } = parseArgs({
  allowNegative: true,
  options: {
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '16' },
    contacts: { type: 'string', default: '100000' },
    others: { type: 'string', default: '200000' },
    opportunities: { type: 'string', default: '100000' },
    suites: { type: 'string', default: 'contacts,opportunities,reports,copies' },
    scaling: { type: 'boolean', default: true },
    work: { type: 'string', default: join(tmpdir(), 'fairlead-own-bench') },
  },
})

mkdirSync(options.work, { recursive: true })
const postgres = await acquireEmbeddedPostgres({ dataDir: options.work, name: 'fairlead' })
try {
  const accounts = seeded(postgres.url, options)
  const bench = await Bench.start(postgres, accounts, options)
  console.log(`${cpus().length} × ${cpus()[0].model}, ${options.connections} connections`)
  try {
    for (const name of options.suites.split(',')) {
      const { default: run } = await import(`./suites/${name}.mjs`)
      await run(bench)
    }
    console.log(`\nPeak memory of the server: ${peakMiB(bench.server.pid).toFixed(0)} MiB`)
  } finally {
    await bench.stop()
  }
} finally {
  await postgres.release()
}
