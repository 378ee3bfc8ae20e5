import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import pg from 'pg'
import { environment, log, main } from '../lib/accounts.mjs'
import { Bench } from '../lib/bench.mjs'
import { compareCreations } from '../lib/creations.mjs'
import { cpuMs } from '../lib/processes.mjs'

const RATE = 1000
const PEOPLE = 500
/** How many of what came in are recorded: enough to tell the rate. */
const RECORDED = 3000
const SECRET = 'bench_app_secret'
const WHATSAPP = {
  ...{ WHATSAPP_API_BASE: 'http://127.0.0.1:9', WHATSAPP_APP_SECRET: SECRET, WHATSAPP_VERIFY_TOKEN: 'bench_token' },
}

/** Opportunities with whose contacts an agent begins, and messages that come in. */
export default async function agents(bench) {
  const stock = await makeStock(bench, bench.accounts.measured)
  try {
    if (bench.options.creations)
      await compareCreations(bench, "POST /opportunities with a pipeline's agent, and with one that is named", {
        without: {},
        'with the entry agent': { pipeline_id: stock.pipelineId },
        'with a named agent': { activate_agent_id: stock.agentId },
      })
    if (+bench.options.told > 0) await inbound(bench, stock)
  } finally {
    await clear(bench, bench.accounts.measured, stock)
  }
}

async function makeStock(bench, account) {
  const ask = (query, variables) => bench.mutate(account, query, variables)
  const numberId = `${Date.now()}`
  const lineId = await ask('mutation ($input: ConnectChannelInput!) { connectChannel(input: $input) { id } }', {
    input: { kind: 'WHATSAPP', externalId: numberId, token: 'sandbox', name: 'Bench' },
  })
  const agentId = await ask('mutation ($input: CreateAiAgentInput!) { createAiAgent(input: $input) { id } }', {
    input: { name: 'Bench', type: 'WHATSAPP', channelAccountId: lineId, opening: 'Hello {{first_name}}' },
  })
  const pipelineId = await ask('mutation ($input: CreatePipelineInput!) { createPipeline(input: $input) { id } }', {
    input: { name: 'Bench', entryAgentId: agentId },
  })
  return { numberId, lineId, agentId, pipelineId }
}

/** Messages of many people at a steady rate, all taken by a server in their order, of which a worker records the first. */
async function inbound(bench, { numberId, lineId, agentId }) {
  await bench.sql(`update ai_agent set status = 'paused' where id = '${agentId}'`)
  const seconds = +bench.options.told
  const plain = await plainInserts(bench)
  const server = await Bench.start(bench.postgres, bench.accounts, bench.options, main, WHATSAPP)
  try {
    const cpu = () => ({ server: cpuMs(server.server.pid), postgres: cpuMs(bench.postgres.pid) })
    const before = cpu()
    const teller = fork(new URL('../lib/told.mjs', import.meta.url))
    const url = server.api.replace('/external/v1', '/webhooks/whatsapp')
    teller.send({ url, secret: SECRET, numberId, people: PEOPLE, rate: RATE, seconds, connections: 64 })
    const [told] = await once(teller, 'message')
    const after = cpu()
    if (told.bad > 0) throw new Error(`${told.bad} of ${told.sent} were not taken`)
    const each = (name) => (after[name] - before[name]) / told.sent
    await withClient(bench, (db) => whole(db, INBOX, numberId, told.sent))
    const rate = told.sent / told.seconds
    log(`${told.sent} taken, ${rate.toFixed(0)}/s, p50 ${told.p50.toFixed(1)} ms, p99 ${told.p99.toFixed(1)} ms`)
    const count = Math.min(RECORDED, told.sent)
    await bench.sql(
      `delete from channel_notice where id not in (select id from channel_notice order by id limit ${count})`,
      'vacuum analyze channel_notice',
    )
    const drained = await drain(bench, lineId, count)
    bench.table(
      `${told.sent} messages come in at ${RATE} a second, and ${count} are recorded by one worker afterwards`,
      [
        ['taken', rate, told.p50, told.p99, each('server'), each('postgres'), rate / plain],
        ['recorded', count / drained.seconds, '', '', drained.workerCpu / count, drained.postgresCpu / count, ''],
        ['one row, inserted alone', plain, '', '', '', '', 1],
      ],
      [
        'messages',
        'a second',
        'p50 ms',
        'p99 ms',
        'server or worker CPU ms',
        'PostgreSQL CPU ms',
        'ratio to plain inserts',
      ],
    )
  } finally {
    await server.stop()
  }
}

/** How many rows a second PostgreSQL commits one by one, over as many connections as the service has. */
async function plainInserts(bench) {
  await bench.sql('create table if not exists bench_plain (id bigint generated always as identity, what jsonb)')
  const pool = new pg.Pool({ connectionString: bench.postgres.url, max: 10 })
  const what = JSON.stringify({ about: 'message', content: 'x'.repeat(200) })
  let [count, running] = [0, true]
  const insert = async () => {
    for (; running; count++)
      await pool.query({ name: 'plain', text: 'insert into bench_plain (what) values ($1)', values: [what] })
  }
  const inserting = Array.from({ length: 10 }, insert)
  const begin = performance.now()
  await new Promise((resolve) => setTimeout(resolve, 3000))
  running = false
  await Promise.all(inserting)
  const rate = (count / (performance.now() - begin)) * 1000
  await pool.end()
  await bench.sql('drop table bench_plain')
  return rate
}

const INBOX = `select what ->> 'content' as said, row_number() over (partition by lane order by id) as place
  from channel_notice where number_id = $1`
const RECORDS = `select content as said, row_number() over (partition by conversation_id order by sent_at, id) as place
  from message where channel_account_id = $1 and sender_type = 'lead'`

/** Throws unless so many messages are there, each in its person's order, which is what it says. */
async function whole(db, messages, of, count) {
  const text = `select count(*)::int as found, count(*) filter (where said::int <> place - 1)::int as displaced from (${messages}) told`
  const { found, displaced } = (await db.query(text, [of])).rows[0]
  if (found !== count || displaced > 0) throw new Error(`of ${count} there are ${found}, ${displaced} out of place`)
}

async function withClient({ postgres }, work) {
  const db = new pg.Client({ connectionString: postgres.url })
  await db.connect()
  try {
    return await work(db)
  } finally {
    await db.end()
  }
}

/** Has a worker record what came in. */
async function drain(bench, lineId, count) {
  const db = new pg.Client({ connectionString: bench.postgres.url })
  await db.connect()
  const before = cpuMs(bench.postgres.pid)
  const begin = performance.now()
  const env = { ...environment(bench.postgres.url), ...WHATSAPP }
  const worker = spawn(process.execPath, [main, 'worker'], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  try {
    while ((await db.query('select from channel_notice limit 1')).rowCount)
      await new Promise((resolve) => setTimeout(resolve, 250))
    const seconds = (performance.now() - begin) / 1000
    await whole(db, RECORDS, lineId, count)
    return { seconds, workerCpu: cpuMs(worker.pid), postgresCpu: cpuMs(bench.postgres.pid) - before }
  } finally {
    worker.kill('SIGTERM')
    await once(worker, 'exit')
    await db.end()
  }
}

async function clear(bench, { account_id }, { lineId, agentId, pipelineId }) {
  await bench.sql(
    `delete from channel_notice; delete from job where account_id = '${account_id}'`,
    `delete from conversation where channel_account_id = '${lineId}'`,
    `delete from opportunity o using contact c
      where c.account_id = o.account_id and c.id = o.contact_id and c.email like 'bench-%'`,
    `delete from contact where account_id = '${account_id}' and (email like 'bench-%' or name like 'Person %' and phone like '+55118%')`,
    'delete from idempotency_record',
    `delete from pipeline where id = '${pipelineId}'`,
    `update ai_agent set deleted_at = now() where id = '${agentId}'`,
    `update channel_account set status = 'disconnected', credentials = null, disconnected_at = now() where id = '${lineId}'`,
  )
}
