import { Reads } from '../../kit/reads/index.js'
import { FailedJob } from './failed-job.entity.js'

/** A failed job as a read brings it. */
export type FailedJobRow = Partial<FailedJob> & Pick<FailedJob, 'id'>

/** The reads of failed jobs, the last first. */
export const failedJobReads = new Reads<FailedJobRow, Record<never, never>>({
  entity: FailedJob,
  filters: {},
  sorts: { failed_at: 'failedAt' },
})
