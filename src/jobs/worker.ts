import type pg from 'pg'
import type { ConstructorOptions } from 'pg-boss'
import type { Database } from '../database/index.js'
import type { Integrations } from '../kit/integrations.js'
import type { RecurringJob } from '../kit/job.js'
import { asTrace } from '../kit/traced.js'

export interface WorkerOptions {
  database: Database
  url: string
  integrations: Integrations
  jobs: readonly RecurringJob[]
  log: (error: unknown) => void
}

/** How many connections to the database the worker has. */
export const WORKER_CONNECTIONS = 2
const POLL_SECONDS = 5
const STOP_MS = 5000
// Its statements are short. One whose answer got lost on the way would be waited for for ever.
const ANSWER_MS = 30_000

// The queue hands what it is given to its pool, whose option `Client` it does not know of.
const connectionsTo = (url: string, { Client }: Database) => {
  const options = {
    ...{ connectionString: url, max: WORKER_CONNECTIONS, application_name: 'fairlead worker', Client },
    query_timeout: ANSWER_MS,
  }
  return options satisfies pg.PoolConfig & ConstructorOptions
}

/** A worker that runs jobs. */
export interface Worker {
  /** Has a job run now, out of its turn. */
  send(name: string): Promise<void>
  stop(): Promise<void>
}

/** Runs the jobs until stopped. However many processes do so, each due run happens in one of them. */
export async function startWorker({ database, url, integrations, jobs, log }: WorkerOptions): Promise<Worker> {
  const { PgBoss } = await import('pg-boss') // not in a process that only serves
  const boss = new PgBoss(connectionsTo(url, database))
  boss.on('error', log)
  await boss.start()
  for (const { name, cron, run } of jobs) {
    await boss.createQueue(name, { policy: 'singleton' })
    await boss.work(name, { pollingIntervalSeconds: POLL_SECONDS }, async () => {
      try {
        await asTrace(database, `job ${name}`, {}, () => run(database, integrations))
      } catch (error) {
        log(error)
        throw error // so that the queue tries again
      }
    })
    await boss.schedule(name, cron)
  }
  return {
    send: async (name) => void (await boss.send(name)),
    stop: () => boss.stop({ graceful: true, timeout: STOP_MS, close: true }),
  }
}
