import { median } from '../lib/bench.mjs'
import { compareCreations } from '../lib/creations.mjs'
import { FlowStock } from '../lib/flows.mjs'

const RATE = 100

/** Mails of flows that are due all at once, and opportunities whose contacts begin a flow. */
export default async function flows(bench) {
  const stock = await FlowStock.make(bench, bench.accounts.measured)
  try {
    await creations(bench, stock)
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

/** Reads at a steady rate with a worker and without, in windows that take turns while it is under way. */
async function beside(bench, stock) {
  const read = bench.get('/contacts/{{id}}')
  const ids = await bench.ids('/contacts')
  await stock.due(+bench.options.due)
  const worker = stock.pausable()
  const [alone, along] = [[], []]
  try {
    await new Promise((resolve) => setTimeout(resolve, 4000))
    for (let i = 0; i < 6 * +bench.options.rounds; i++) {
      for (const isAlone of i % 2 ? [true, false] : [false, true]) {
        if (isAlone) worker.pause()
        else worker.goOn()
        const window = await bench.window(read, ids, 16, { rate: RATE, seconds: 2 })
        const windows = isAlone ? alone : along
        windows.push(window)
      }
    }
  } finally {
    await worker.stop()
  }
  const ratios = alone.map(({ p99 }, i) => along[i].p99 / p99)
  const line = (name, windows) => [name, median(windows.map(({ p50 }) => p50)), median(windows.map(({ p99 }) => p99))]
  bench.table(
    `A contact at ${RATE} a second, in turns with the worker and without: p99 × ${median(ratios).toFixed(2)}`,
    [line('alone', alone), line('beside the worker', along)],
    ['reads', 'p50 ms', 'p99 ms'],
  )
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
