import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { AppError } from '../../shared/errors.js'
import { isUuid } from '../../shared/ids.js'
import type { AgencyEventRecord } from './agency-event.types.js'
import { PROVISIONING_ERRORS } from './provisioning-errors.service.js'

// While a sub-account is only reserved, nothing tells its id.
const one = new Statement<AgencyEventRecord>(
  sql<AgencyEventRecord>`select e.id, e.action, e.status, e.attempts,
      case when e.action <> 'sub_account.create' or e.status = 'processed' then e.target_account_id end as "targetAccountId",
      e.result, e.error_code as "errorCode", e.last_error as "lastError", e.received_at as "receivedAt",
      e.last_attempt_at as "lastAttemptAt", e.processed_at as "processedAt"
    from agency_event e where e.agency_id = ${param('agency')} and e.id = ${param('id')}`,
  { prepared: true },
)

/** An event of the agency; throws EVENT_NOT_FOUND. */
export async function findEvent(db: Scope, id: string): Promise<AgencyEventRecord> {
  const [found] = isUuid(id) ? await db.rows(one, { id }) : []
  if (found) return found
  throw new AppError(PROVISIONING_ERRORS.EVENT_NOT_FOUND, 'The agency has no such event.')
}
