import type { RecurringJob } from '../../kit/job.js'
import { compareAndReport } from './compare-report.service.js'
import { sweepNotices } from './notice.service.js'
import { reconcileAbandoned } from './reconcile.service.js'
import { renewDue } from './renewal.service.js'
import { tellSeats } from './tell-seats.service.js'

// Who is busy has its turn the next time.
const pace = { lease: 30_000, patience: 2000 }

/** Two cycles. */
const COMPARED_DAYS = 62

/** Renewals, comparing, what follows from charges that were given up, and what the provider is told. */
export const billingJobs: RecurringJob[] = [
  {
    name: 'renew-agencies',
    cron: '* * * * *',
    run: (database, { billing: provider }) => renewDue(database, { provider, pace }),
  },
  {
    name: 'reconcile-charges',
    cron: '* * * * *',
    run: (database, { billing: provider }) => reconcileAbandoned(database, { provider, pace }),
  },
  {
    name: 'tell-seats',
    cron: '* * * * *',
    run: (database, { billing: provider }) => tellSeats(database, { provider, pace }),
  },
  {
    name: 'compare-billing',
    cron: '41 * * * *',
    run: (database, { billing: provider }) => compareAndReport(database, { provider, pace, days: 2 }),
  },
  {
    name: 'compare-billing-cycles',
    cron: '23 3 * * *',
    run: (database, { billing: provider }) => compareAndReport(database, { provider, pace, days: COMPARED_DAYS }),
  },
  {
    name: 'sweep-billing',
    cron: '17 * * * *',
    run: async (database, { billing }) => {
      await billing.sweep()
      await sweepNotices(database)
    },
  },
]
