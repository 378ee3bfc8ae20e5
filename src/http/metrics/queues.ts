import { Gauge, type Registry } from 'prom-client'
import type { Queue } from '../../kit/queue.js'

interface Row {
  state: string
  count: number
  age: number
}

/** Runs a statement over connections that nothing else waits for. */
export type Look = (statement: string) => Promise<{ rows: Row[] }>

// Nobody needs these figures more often, and who asks does not make the database work.
const FRESH_MS = 5000

/** How much waits in each queue, and for how long; looked up when somebody asks for the figures. */
export function measureQueues(registry: Registry, queues: readonly Queue[], look: Look): void {
  const labels = { labelNames: ['queue', 'state'] as const, registers: [registry] }
  const entries = new Gauge({
    ...labels,
    name: 'fairlead_queue_entries',
    help: 'Entries of each queue, by state.',
    collect: () => refreshed(),
  })
  const age = new Gauge({
    ...labels,
    name: 'fairlead_queue_age_seconds',
    help: 'Since when the entry that has been due longest is due, or has failed.',
    collect: () => refreshed(),
  })
  const unseen = new Gauge({
    name: 'fairlead_queues_unseen',
    help: 'Queues whose figures could not be looked up: there are none of them then.',
    registers: [registry],
    collect: () => refreshed(),
  })

  let last = Number.NEGATIVE_INFINITY
  let looking: Promise<void> | undefined
  const refreshed = () => {
    if (Date.now() - last >= FRESH_MS) looking ??= refresh().finally(() => (looking = undefined))
    return looking
  }
  const refresh = async () => {
    const found = await Promise.all(
      queues.map(async ({ name, look: statement }) => ({
        name,
        rows: await look(statement).then(
          ({ rows }) => rows,
          () => undefined,
        ),
      })),
    )
    entries.reset()
    age.reset()
    for (const { name: queue, rows = [] } of found) {
      for (const { state, count, age: seconds } of rows) {
        entries.set({ queue, state }, count)
        age.set({ queue, state }, seconds)
      }
    }
    unseen.set(found.filter(({ rows }) => !rows).length)
    last = Date.now()
  }
}
