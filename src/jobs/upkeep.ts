import { compactAll, sweepIdempotencyRecords, sweepReadPositions, type Tally } from '../database/index.js'
import { sweepRequestCounts } from '../integrations/rate-limits/index.js'
import type { RecurringJob } from '../kit/job.js'
import { defineQueue, type Queue } from '../kit/queue.js'

/** What waits that is no domain's: facts that are still to be told, and the recurring jobs. */
export const UPKEEP_QUEUES: readonly Queue[] = [
  defineQueue('outbox', 'outbox'),
  {
    name: 'recurring_jobs',
    look: `select state::text, count(*)::int as count,
        extract(epoch from now() - min(created_on))::float8 as age
      from pgboss.job where state in ('created', 'retry', 'active', 'failed') group by 1`,
  },
]

/** The jobs that keep the database in shape. */
export function upkeepJobs(tallies: readonly Tally[], idempotencyTtlHours: number): RecurringJob[] {
  return [
    {
      name: 'compact-tallies',
      cron: '* * * * *',
      run: async ({ pool }) => {
        for (const tally of tallies) await compactAll(pool, tally)
      },
    },
    {
      name: 'sweep-idempotency-records',
      cron: '*/10 * * * *',
      run: async (database) => void (await sweepIdempotencyRecords(database, idempotencyTtlHours)),
    },
    {
      name: 'sweep-read-positions',
      cron: '7 * * * *',
      run: async (database) => void (await sweepReadPositions(database)),
    },
    {
      name: 'sweep-request-counts',
      cron: '*/10 * * * *',
      run: async ({ pool }) => void (await sweepRequestCounts(pool)),
    },
  ]
}
