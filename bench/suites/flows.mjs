import { median } from '../lib/bench.mjs'
import { FlowStock } from '../lib/flows.mjs'

const RATE = 100

/** Mails of flows that are due all at once, sent by one worker, beside reads at a steady rate. */
export default async function flows(bench) {
  const account = bench.accounts.measured
  const stock = await FlowStock.make(bench, account)
  try {
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
  } finally {
    await stock.close()
  }
}
