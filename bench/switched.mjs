// node bench/switched.mjs --program DIR/dist/main.js [--works list,get,create] [--seconds 25] [as for run.mjs]
// What a part of the code is worth, on a busy machine too: DIR is a copy of this folder whose part does without itself
// while `globalThis.off` is true. One server is under load, and the part goes off and on every tenth of a second.
import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { acquireEmbeddedPostgres } from '../dist/embedded-postgres/index.js'
import { log, seeded } from './lib/accounts.mjs'
import { Bench } from './lib/bench.mjs'

const { values: options } = parseArgs({
  options: {
    program: { type: 'string' },
    works: { type: 'string', default: 'list,get,create' },
    seconds: { type: 'string', default: '25' },
    connections: { type: 'string', default: '16' },
    contacts: { type: 'string', default: '20000' },
    others: { type: 'string', default: '20000' },
    opportunities: { type: 'string', default: '10000' },
    work: { type: 'string', default: join(tmpdir(), 'fairlead-switched') },
  },
})

mkdirSync(options.work, { recursive: true })
const postgres = await acquireEmbeddedPostgres({ dataDir: options.work, name: 'fairlead' })
try {
  const accounts = seeded(postgres.url, { ...options, scaling: false })
  process.env.NODE_OPTIONS = `--import ${fileURLToPath(new URL('lib/switching.mjs', import.meta.url))}`
  const bench = await Bench.start(postgres, accounts, options, resolve(options.program))
  delete process.env.NODE_OPTIONS
  try {
    const works = await worksOf(bench)
    for (const name of options.works.split(',')) {
      console.error(name)
      bench.server.kill('SIGUSR2')
      const { non2xx, firstBad } = await bench.window(...works[name], +options.connections)
      if (non2xx > 0) log(`WRONG: ${firstBad}`)
      bench.server.kill('SIGUSR2')
      await delay(500)
    }
  } finally {
    await bench.stop()
  }
} finally {
  await postgres.release()
}

async function worksOf(bench) {
  const tags = (await bench.ask('/tags')).slice(0, 2).map(({ id }) => id)
  const [contacts, opportunities] = [await bench.ids('/contacts'), await bench.ids('/opportunities')]
  const body = { name: 'Bench {{n}}', email: 'bench-{{n}}@example.com', company: 'Bench Ltda', tags }
  const sale = { title: 'Bench {{n}}', email: 'bench-{{n}}@example.com' }
  return {
    list: [bench.get('/contacts'), []],
    get: [bench.get('/contacts/{{id}}'), contacts],
    create: [bench.send('POST', '/contacts', body, { 'Idempotency-Key': 'bench-{{n}}' }), []],
    update: [bench.send('PUT', '/contacts/{{id}}', { company: 'Bench {{n}}' }), contacts],
    opportunities: [bench.get('/opportunities'), []],
    opportunity: [bench.get('/opportunities/{{id}}'), opportunities],
    sale: [bench.send('POST', '/opportunities', sale), []],
  }
}
