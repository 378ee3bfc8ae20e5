import { defineDomain } from '../../kit/domain.js'
import { accounts } from '../accounts/index.js'
import { FailedJob } from './failed-job.entity.js'
import { FailedJobResolver } from './failed-job.resolver.js'
import { Job } from './job.entity.js'

export { enqueue } from './enqueue.service.js'
export { type JobWorkerOptions, startJobWorker } from './job-worker.service.js'

/** Background jobs that a transaction asks for, and those of them that failed for good. */
export const jobs = defineDomain({
  name: 'jobs',
  uses: [accounts],
  entities: [Job, FailedJob],
  resolvers: [FailedJobResolver],
})
