import { defineDomain } from '../../kit/domain.js'
import { defineQueue } from '../../kit/queue.js'
import { accounts } from '../accounts/index.js'
import { FailedJob } from './failed-job.entity.js'
import { FailedJobResolver } from './failed-job.resolver.js'
import { Job } from './job.entity.js'

export { enqueue } from './enqueue.service.js'
export { type JobWorkerOptions, startJobWorker } from './job-worker.service.js'

// They wait for an admin, and for nothing else.
const FAILED = {
  name: 'failed_jobs',
  look: `select 'failed' as state, count(*)::int as count,
      coalesce(extract(epoch from now() - min(failed_at)), 0)::float8 as age from failed_job`,
}

/** Background jobs that a transaction asks for, and those of them that failed for good. */
export const jobs = defineDomain({
  name: 'jobs',
  uses: [accounts],
  entities: [Job, FailedJob],
  resolvers: [FailedJobResolver],
  queues: [defineQueue('jobs', 'job'), FAILED],
})
