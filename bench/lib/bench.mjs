import { fork, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import pg from 'pg'
import { environment, log, main } from './accounts.mjs'
import { cpuMs } from './processes.mjs'

const TERMS = ['gina lopes', 'acme 12', 'everest 5', 'hugo neves', 'user12', 'granite 77', 'Barbosa']
const HEAD = ['work', 'requests/s', 'p50 ms', 'p99 ms', 'server CPU ms', 'PostgreSQL CPU ms', 'bad']

/** A running server, and load on it. */
export class Bench {
  firstNumber = Date.now() * 1000

  /** Starts a server: the built one, or that of another build's main file; with further settings. */
  static async start(postgres, accounts, options, program = main, settings = {}) {
    const port = await freePort()
    const worker = options.worker ? [] : ['--no-worker']
    const server = spawn(process.execPath, [program, 'serve', ...worker, '--port', String(port)], {
      env: { ...environment(postgres.url), ...settings },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const base = `http://127.0.0.1:${port}`
    for (const until = Date.now() + 60_000; ; await new Promise((r) => setTimeout(r, 100))) {
      if (server.exitCode !== null || Date.now() > until) throw new Error('the server does not start')
      if ((await fetch(`${base}/readyz`).catch(() => undefined))?.ok) break
    }
    return new Bench(postgres, accounts, options, server, `${base}/external/v1`)
  }

  constructor(postgres, accounts, options, server, api) {
    Object.assign(this, { postgres, accounts, options, server, api })
  }

  async stop() {
    this.server.kill('SIGTERM')
    await new Promise((resolve) => this.server.once('exit', resolve))
  }

  /** What the API answers to a GET of an account. */
  async ask(path, { key } = this.accounts.measured) {
    const answer = await fetch(this.api + path, { headers: { 'X-API-Key': key } })
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`)
    return (await answer.json()).data
  }

  /** Calls a mutation of an account, and returns the id that it tells. */
  async mutate({ key }, query, variables) {
    const headers = { 'content-type': 'application/json', 'x-api-key': key }
    const url = this.api.replace('/external/v1', '/graphql')
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query, variables }) })
    const { data, errors } = await answer.json()
    if (errors) throw new Error(JSON.stringify(errors))
    return Object.values(data)[0].id
  }

  /** The ids of a list's first 2,000 records. */
  async ids(path) {
    const pages = await Promise.all(Array.from({ length: 20 }, (_, i) => this.ask(`${path}?limit=100&page=${i + 1}`)))
    return pages.flat().map(({ id }) => id)
  }

  get(path, { key } = this.accounts.measured) {
    return { url: this.api + path, headers: { 'X-API-Key': key } }
  }

  send(method, path, body, headers = {}) {
    const { key } = this.accounts.measured
    return { method, url: this.api + path, headers: { 'X-API-Key': key, ...headers }, body: JSON.stringify(body) }
  }

  /** One line of a table: the medians of as many windows of load as there are rounds. */
  async row(name, workload, { ids = [], connections = +this.options.connections } = {}) {
    const rounds = []
    for (let i = 0; i < +this.options.rounds; i++) rounds.push(await this.window(workload, ids, connections))
    const bad = rounds.reduce((sum, { non2xx, errors }) => sum + non2xx + errors, 0)
    if (bad > 0) log(`WRONG: ${name}: ${bad} bad answers: ${rounds.find(({ firstBad }) => firstBad)?.firstBad}`)
    const middle = (key) => median(rounds.map((round) => round[key]))
    log(`${name}: ${middle('rps').toFixed(0)}/s, p50 ${middle('p50').toFixed(1)} ms`)
    return [name, ...['rps', 'p50', 'p99', 'serverCpu', 'postgresCpu'].map(middle), bad]
  }

  /**
   * One window of load; the CPU clocks are read at its beginning and its end. With a rate the requests come that often a
   * second, whether the ones before are answered or not; `beside` is what else begins when the window does, and `samples` asks for each
   * latency with its time.
   */
  window(workload, ids, connections, { seconds = +this.options.seconds, rate, samples, beside } = {}) {
    return new Promise((done, fail) => {
      const generator = fork(new URL('load.mjs', import.meta.url))
      const clocks = () => ({ server: cpuMs(this.server.pid), postgres: cpuMs(this.postgres.pid) })
      let [before, result] = []
      generator.on('message', (message) => {
        if (message.measuring) {
          before = clocks()
          beside?.()
        } else if (message.requests !== undefined) {
          const after = clocks()
          const cpu = (name) => (after[name] - before[name]) / message.requests
          result = { ...message, serverCpu: cpu('server'), postgresCpu: cpu('postgres') }
        }
      })
      // Not at its exit, before which what it said last need not have arrived.
      generator.on('disconnect', () => (result ? done(result) : fail(new Error('the load generator failed'))))
      const { firstNumber } = this
      generator.send({
        ...{ workload, ids, terms: TERMS, connections, firstNumber },
        ...{ seconds, rate, samples, warmup: 1 },
      })
      this.firstNumber += 10_000_000
    })
  }

  /** Statements on the database itself, such as those that take away what was created. */
  async sql(...statements) {
    const client = new pg.Client({ connectionString: this.postgres.url })
    await client.connect()
    try {
      for (const statement of statements) await client.query(statement)
    } finally {
      await client.end()
    }
  }

  /** Milliseconds that a statement takes on the database itself, run so many times. */
  async times(statement, runs) {
    const client = new pg.Client({ connectionString: this.postgres.url })
    await client.connect()
    const times = []
    for (let i = 0; i < runs; i++) {
      const begin = performance.now()
      await client.query(statement)
      times.push(performance.now() - begin)
    }
    await client.end()
    return times
  }

  table(title, rows, head = HEAD) {
    const lines = [head, head.map(() => '---'), ...rows.map((cells) => cells.map(shown))]
    console.log(`\n${title}\n\n${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}`)
  }
}

export const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]

function shown(value) {
  if (typeof value !== 'number' || Number.isInteger(value)) return String(value)
  return value >= 100 ? value.toFixed(0) : value.toFixed(2)
}

const freePort = () =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address()
      probe.close(() => resolve(port))
    })
  })
