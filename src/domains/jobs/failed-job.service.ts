import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { tellChange } from '../../kit/changes.js'
import type { DeletedRecord } from '../../kit/deleted.js'
import type { Selection } from '../../kit/selection.js'
import { notFound } from '../../shared/errors.js'
import { isUuid } from '../../shared/ids.js'
import { enqueue } from './enqueue.service.js'
import type { FailedJob } from './failed-job.entity.js'
import { type FailedJobRow, failedJobReads } from './failed-job.reads.js'

const remove = new Statement<Pick<FailedJob, 'id' | 'name' | 'ids'>>(
  sql<Pick<FailedJob, 'id' | 'name' | 'ids'>>`delete from failed_job
    where account_id = ${param('account')} and id = ${param('id')}::uuid returning id, name, ids`,
)

async function take(db: Scope, id: string, change: string) {
  const [failed] = isUuid(id) ? await db.rows(remove, { id }) : []
  if (!failed) throw notFound('failed job')
  await tellChange(db, 'failed_job', failed.id, change)
  return failed
}

/** Has a job that failed for good be done anew, with all its attempts. */
export function retryFailedJob(db: Scope, id: string, selection: Selection): Promise<FailedJobRow> {
  return db.transaction(async () => {
    const shown = await failedJobReads.find(db, id, selection)
    const failed = await take(db, id, 'retried')
    enqueue(db, failed, failed.ids, { id: failed.id })
    return shown!
  })
}

/** Lets go of a job that failed for good. */
export function dismissFailedJob(db: Scope, id: string): Promise<DeletedRecord> {
  return db.transaction(async () => {
    const failed = await take(db, id, 'deleted')
    return { id: failed.id, deleted: true }
  })
}
