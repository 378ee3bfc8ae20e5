import type { RecurringJob } from '../../kit/job.js'
import { sweepNotices } from './record.service.js'

/** Gives up what could not be recorded for a week. */
export const sweepInbox: RecurringJob = {
  name: 'sweep-inbox',
  cron: '23 * * * *',
  run: sweepNotices,
}
