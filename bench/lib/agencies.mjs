// Agencies with clients, and events that wait for the worker.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import pg from 'pg'
import { readConfig } from '../../dist/config.js'
import { Agencies, AgencyTokens, SCOPES } from '../../dist/domains/agencies/index.js'
import { createLogger } from '../../dist/http/index.js'
import { SandboxBilling } from '../../dist/integrations/billing/index.js'
import { openDatabase } from '../../dist/open-database.js'
import { environment, main } from './accounts.mjs'
import { cpuMs } from './processes.mjs'

/** Copies of a row but for what is said; `n` counts them, and the ids are those of the agency or the account. */
const copies = (table, where, changes) => `insert into ${table}
  select (jsonb_populate_record(null::${table}, to_jsonb(t) || jsonb_build_object(${changes}))).*
  from ${table} t, bench_agency n where ${where}`

const EVENTS = `insert into agency_event (id, agency_id, action, status, attempts, deferred, input, request_hash, due_at,
    target_account_id, place)
  select gen_random_uuid(), agency, 'sub_account.channels.update', 'pending', 0, true,
    jsonb_build_object('reference', account, 'channels', jsonb_build_object('linkedin', 1 + i % 2)), '\\x00', now(),
    account, nextval('agency_event_place')
  from (select agency, account, i from bench_agency, generate_series(1, $1::int) i order by i, n) e`

/** Makes agencies for a benchmark on the sandbox, and removes them again. */
export class AgencyStock {
  static async open(url) {
    const stock = new AgencyStock()
    stock.url = url
    stock.database = await openDatabase(url, readConfig({}), createLogger('silent', new PassThrough().resume()))
    stock.sandbox = new SandboxBilling(stock.database)
    stock.made = []
    return stock
  }

  /** An agency with a token, at a server. */
  async agency({ origin }) {
    const given = { name: 'Bench', paymentMethod: 'pm_card_visa' }
    const agency = await new Agencies(this.database, this.sandbox).create(given)
    this.made.push(agency.id)
    const { secret } = await new AgencyTokens(this.database).create(agency.agencyKey, Object.keys(SCOPES))
    const base = `${origin}/api/webhooks/agency/${agency.agencyKey}`
    const headers = { Authorization: `Bearer ${secret}` }
    const call = async (method, path, body) => {
      const init = { method, headers: { ...headers, 'Content-Type': 'application/json' }, body: JSON.stringify(body) }
      const answer = await fetch(base + path, init)
      const text = await answer.text()
      if (!answer.ok || answer.status === 202) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
      return JSON.parse(text)
    }
    return { ...agency, base, headers, call }
  }

  /** So many copies of an agency and of its one sub-account, each with so many changes of channels that wait. */
  async pending({ id, billingCustomer }, agencies, each) {
    const { pool } = this.database
    await pool.query(`create table bench_agency as select n, gen_random_uuid() as agency, gen_random_uuid() as account
      from generate_series(1, ${agencies}) n`)
    const sub = (await pool.query('select id from sub_account where agency_id = $1', [id])).rows[0].id
    await pool.query(copies('sandbox_customer', `t.id = '${billingCustomer}'`, `'id', 'cus_bench_' || n.agency`))
    await pool.query(
      copies(
        'agency',
        `t.id = '${id}'`,
        `'id', n.agency, 'agency_key', 'ag_bench_' || n.agency, 'billing_customer', 'cus_bench_' || n.agency`,
      ),
    )
    await pool.query(copies('account', `t.id = '${sub}'`, `'id', n.account`))
    const changes = `'id', n.account, 'agency_id', n.agency, 'slug', 'bench-' || n.account, 'linkedin', 0`
    await pool.query(copies('sub_account', `t.id = '${sub}'`, changes))
    await pool.query(EVENTS, [each])
    await pool.query('analyze')
  }

  /** Seconds that a worker takes until no event waits any more, and its CPU and that of PostgreSQL in milliseconds. */
  async drained(postgres) {
    const left = "select count(*)::int as n from agency_event where status in ('pending', 'processing')"
    const count = async () => (await this.database.pool.query(left)).rows[0].n
    const worker = spawn(process.execPath, [main, 'worker'], {
      env: environment(this.url),
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    try {
      const all = await count()
      while ((await count()) === all) await pause(20)
      const clocks = () => [performance.now() / 1000, cpuMs(worker.pid), cpuMs(postgres.pid)]
      const before = clocks()
      while ((await count()) > 0) await pause(200)
      const [seconds, workerCpu, postgresCpu] = clocks().map((clock, i) => clock - before[i])
      return { seconds, workerCpu, postgresCpu }
    } finally {
      worker.kill('SIGTERM')
      await once(worker, 'exit')
    }
  }

  /** Events by how they ended. */
  async ends() {
    const text =
      'select status, count(*)::int as n from agency_event join bench_agency on agency = agency_id group by 1'
    return Object.fromEntries((await this.database.pool.query(text)).rows.map(({ status, n }) => [status, n]))
  }

  async close() {
    const { pool } = this.database
    await pool.query('drop table if exists bench_agency')
    await this.database.close()
    const client = new pg.Client({ connectionString: this.url })
    await client.connect()
    await client.query("delete from agency where id = any($1) or agency_key like 'ag_bench_%'", [this.made])
    await client.end()
  }
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
