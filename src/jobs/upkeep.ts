import { compactAll, sweepIdempotencyRecords, sweepReadPositions, type Tally } from '../database/index.js'
import { sweepRequestCounts } from '../integrations/rate-limits/index.js'
import type { RecurringJob } from '../kit/job.js'

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
