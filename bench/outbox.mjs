// What it costs a creation that a domain hears of it after the commit: two services of this process, one of them with a
// listener, create contacts with two tags over HTTP in windows taken in turns. `--deliver` also has a worker of the same
// process tell of them. Prints the medians of rate and CPU (of this process and of PostgreSQL, ms per request), and the
// quartiles of their ratios in rounds of four windows.
import 'reflect-metadata'
import { fork } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startApp } from '../dist/app.js'
import { assembly } from '../dist/assembly.js'
import { readConfig } from '../dist/config.js'
import { after, Database, migrate } from '../dist/database/index.js'
import { Accounts, Keys } from '../dist/domains/accounts/index.js'
import { contactCreated } from '../dist/domains/contacts/index.js'
import { acquireEmbeddedPostgres } from '../dist/embedded-postgres/index.js'
import { createLogger } from '../dist/http/index.js'
import { startDelivery } from '../dist/jobs/index.js'
import { seedAccount } from '../dist/seed/index.js'
import { cpuMs } from './lib/processes.mjs'

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '10' },
    connections: { type: 'string', default: '16' },
    deliver: { type: 'boolean', default: false },
  },
})

const dataDir = mkdtempSync(join(tmpdir(), 'fairlead-outbox-'))
const postgres = await acquireEmbeddedPostgres({ dataDir, name: 'fairlead' })
const postmaster = Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0])
const open = (more = []) => {
  const subscribers = [...assembly.on, ...more]
  const settings = { url: postgres.url, entities: assembly.entities, subscribers, poolSize: 10, acquireTimeoutMs: 5000 }
  return Database.open({ ...settings, log: () => {} })
}

const setup = await open()
await migrate(setup, postgres.url)
const { id: accountId } = await new Accounts(setup).create({ name: 'Bench' })
const plan = { accountId, contacts: 20_000, notes: 0, opportunities: 0, history: false, seed: 1 }
await seedAccount(setup, assembly.tallies, plan, () => {})
const { rows } = await setup.pool.query('select id from tag limit 2')
const key = { accountId, name: 'Bench', permissions: ['*'], rateLimit: 2_000_000_000 }
const { secret } = await new Keys(setup).create(key)
await setup.close()

// Both make their connections, and with them their plans, out of the same state of the tables.
const plain = await open()
const told = await open([{ ...after(contactCreated, () => {}), domain: 'bench' }])
const worker = options.deliver ? startDelivery({ database: told, log: console.error }) : undefined
const config = { ...readConfig({}), port: 0, logLevel: 'warn' }
const logger = createLogger('warn')
const apps = new Map()
for (const database of [plain, told]) apps.set(database, await startApp({ config, logger, database }))

let firstNumber = 1
/** A window of creations, by a load generator that is a process of its own. */
function window(database) {
  const workload = {
    method: 'POST',
    url: `http://127.0.0.1:${apps.get(database).port}/external/v1/contacts`,
    headers: { 'x-api-key': secret, 'idempotency-key': 'outbox-{{n}}' },
    body: JSON.stringify({
      name: 'Contact {{n}}',
      email: 'contact.{{n}}@bench.example',
      tags: rows.map(({ id }) => id),
    }),
  }
  const cpu = () => process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000 + cpuMs(postmaster)
  const generator = fork(new URL('lib/load.mjs', import.meta.url))
  const connections = Number(options.connections)
  generator.send({ workload, connections, firstNumber, warmup: 0.3, seconds: Number(options.seconds) })
  firstNumber += 1_000_000
  return new Promise((resolve, reject) => {
    let [before, result] = [0]
    generator.on('message', (message) => {
      if (message.measuring) before = cpu()
      if (message.non2xx || message.errors) reject(new Error(message.firstBad ?? 'connections were lost'))
      if (message.requests) result = { rate: message.rps, cpu: (cpu() - before) / message.requests }
    })
    generator.on('exit', () => (result ? resolve(result) : reject(new Error('the load generator failed'))))
  })
}

const sorted = (list) => list.toSorted((a, b) => a - b)
const quartile = (list, part) => sorted(list)[Math.floor(list.length * part)]

await window(plain)
await window(told)
const rounds = []
for (let round = 0; round < Number(options.rounds); round++) {
  const windows = []
  // Whatever drifts meanwhile favours neither.
  for (const database of [plain, told, told, plain]) windows.push(await window(database))
  const [before, one, two, behind] = windows
  const mean = (name) => [(before[name] + behind[name]) / 2, (one[name] + two[name]) / 2]
  rounds.push({ rate: mean('rate'), cpu: mean('cpu') })
}
for (const name of ['rate', 'cpu']) {
  const [without, having] = [0, 1].map((i) =>
    quartile(
      rounds.map((round) => round[name][i]),
      0.5,
    ).toFixed(2),
  )
  const ratios = rounds.map((round) => round[name][1] / round[name][0])
  const quartiles = [0.25, 0.5, 0.75].map((part) => quartile(ratios, part).toFixed(3))
  console.log(`${name}: without a listener ${without}, with one ${having}; ratio ${quartiles.join(', ')}`)
}

for (const app of apps.values()) await app.stop()
await worker?.stop()
await Promise.all([plain.close(), told.close()])
await postgres.release()
rmSync(dataDir, { recursive: true, force: true })
