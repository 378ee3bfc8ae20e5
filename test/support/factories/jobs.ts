import { randomUUID } from 'node:crypto'
import type { Database } from '../../../src/database/index.js'
import { FailedJob } from '../../../src/domains/jobs/failed-job.entity.js'

/** Makes a job that failed for good. */
export async function makeFailedJob(database: Database, accountId: string): Promise<FailedJob> {
  const em = database.forkFor(accountId)
  const fields = { accountId, name: 'look', ids: { thingId: randomUUID() }, attempts: 5, error: 'TypeError' }
  const failed = em.create(FailedJob, { ...fields, createdAt: new Date() })
  await em.flush()
  return failed
}
