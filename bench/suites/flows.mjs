import { setTimeout as delay } from 'node:timers/promises'
import { median } from '../lib/bench.mjs'
import { compareCreations } from '../lib/creations.mjs'
import { FlowStock } from '../lib/flows.mjs'

const RATE = 100
const TURN_MS = 1500

/** Mails of flows that are due all at once, and opportunities whose contacts begin a flow. */
export default async function flows(bench) {
  const stock = await FlowStock.make(bench, bench.accounts.measured)
  try {
    if (bench.options.creations) await creations(bench, stock)
    if (+bench.options.due > 0) await beside(bench, stock)
    if (+bench.options.due > 0) await mails(bench, stock)
  } finally {
    await stock.close()
  }
}

/** The same creation with a flow, with a mail, and without. */
async function creations(bench, { flowId, templateId, senderId }) {
  await compareCreations(bench, 'POST /opportunities with a flow, and with a mail', {
    without: {},
    'with a flow': { enroll_in_flow_id: flowId },
    'with a mail': { send_template_email_id: templateId, email_sender_id: senderId },
  })
  await bench.sql(
    `delete from flow_enrollment where flow_id = '${flowId}'`,
    `delete from mail where template_id = '${templateId}'`,
    `delete from opportunity o using contact c
      where c.account_id = o.account_id and c.id = o.contact_id and c.email like 'bench-%'`,
    "delete from contact where email like 'bench-%'; delete from idempotency_record",
  )
}

/** Reads at a steady rate, while a worker is held still in every other turn. */
async function beside(bench, stock) {
  const read = bench.get('/contacts/{{id}}')
  const ids = await bench.ids('/contacts')
  await stock.due(+bench.options.due)
  const worker = stock.pausable()
  const turns = 12 * +bench.options.rounds
  let [turning, samples] = []
  try {
    await delay(4000)
    worker.pause()
    const window = { rate: RATE, seconds: (turns * TURN_MS) / 1000 + 0.5, samples: true }
    const taken = await bench.window(read, ids, 16, { ...window, beside: () => (turning = takeTurns(worker, turns)) })
    samples = taken.samples
  } finally {
    await worker.stop()
  }
  const figures = (await turning).map(({ works, from, to }) => {
    const latencies = samples.flatMap(([at, ms]) => (at >= from && at < to ? [ms] : [])).toSorted((a, b) => a - b)
    return { works, p50: median(latencies), p99: latencies[Math.floor(0.99 * latencies.length)] }
  })
  const [alone, along] = [false, true].map((works) => figures.filter((turn) => turn.works === works))
  const ratios = alone.map(({ p99 }, i) => along[i].p99 / p99)
  const line = (name, list) => [name, median(list.map(({ p50 }) => p50)), median(list.map(({ p99 }) => p99))]
  bench.table(
    `A contact at ${RATE} a second, in turns with the worker and without: p99 × ${median(ratios).toFixed(2)}`,
    [line('alone', alone), line('beside the worker', along)],
    ['reads', 'p50 ms', 'p99 ms'],
  )
}

/** Has a worker work and be still by turns; resolves to when that was, without the moments around a change. */
async function takeTurns(worker, turns) {
  const taken = []
  for (let i = 0; i < turns; i++) {
    const works = [false, true, true, false][i % 4]
    if (works) worker.goOn()
    else worker.pause()
    const from = Date.now() + 150
    await delay(TURN_MS)
    taken.push({ works, from, to: Date.now() - 60 })
  }
  return taken
}

/** Mails that are due at once, sent by one worker, beside reads at a steady rate. */
async function mails(bench, stock) {
  const ids = await bench.ids('/contacts')
  const read = bench.get('/contacts/{{id}}')
  const due = +bench.options.due
  const [alone, beside, runs] = [[], [], []]
  for (let i = 0; i < +bench.options.rounds; i++) {
    await stock.due(due)
    alone.push(await bench.window(read, ids, 16, { rate: RATE, seconds: 8 }))
    let draining
    const window = { rate: RATE, seconds: 20, beside: () => (draining = stock.drained(due)) }
    beside.push(await bench.window(read, ids, 16, window))
    runs.push(await draining)
  }
  const middle = (list, of) => median(list.map(of))
  bench.table(
    `${due} mails of a flow that are due at once, by one worker`,
    [
      [
        middle(runs, ({ seconds }) => seconds),
        middle(runs, ({ seconds }) => due / seconds),
        ...['workerCpu', 'postgresCpu', 'smtpCpu'].map((what) => middle(runs, (run) => run[what] / due)),
      ],
    ],
    ['seconds', 'mails/s', 'worker CPU ms', 'PostgreSQL CPU ms', 'mail server CPU ms'],
  )
  const p99s = [alone, beside].map((windows) => middle(windows, ({ p99 }) => p99))
  bench.table(
    `A contact at ${RATE} a second meanwhile: p99 × ${(p99s[1] / p99s[0]).toFixed(2)}`,
    [
      ['alone', middle(alone, ({ p50 }) => p50), p99s[0]],
      ['beside the worker', middle(beside, ({ p50 }) => p50), p99s[1]],
    ],
    ['reads', 'p50 ms', 'p99 ms'],
  )
}
