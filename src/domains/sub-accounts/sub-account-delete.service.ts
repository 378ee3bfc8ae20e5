import { sql } from 'kysely'
import { param, Scope, Statement } from '../../database/index.js'
import { revokeAllKeys } from '../accounts/index.js'
import { shutOutUsers } from '../users/index.js'
import { type Attempt, finishEvent, takePlaceAt } from './event-store.service.js'
import type { Provisioning } from './provisioning.service.js'
import type { Queued } from './provisioning-errors.service.js'
import { lockSubAccount, resolveReference } from './sub-account.service.js'

/** Which sub-account is to go. */
export interface Deletion {
  reference: string
}

/** The trace of a sub-account that was deleted. */
export interface DeletedSubAccount {
  id: string
  deletedAt: Date
}

const markDeleted = new Statement<{ deletedAt: string }>(
  sql<{ deletedAt: string }>`update sub_account set status = 'deleted', deleted_at = now(), trial_ends_at = null
    where agency_id = ${param('agency')} and id = ${param('account')} returning deleted_at as "deletedAt"`,
)

/**
 * Ends a sub-account: its people are shut out and their addresses free, its keys are revoked, its seats are given back
 * without credit, and its external_ref can be used again. Its records stay, where nobody sees them.
 */
export async function deleteSubAccount(
  { database, billing }: Provisioning,
  attempt: Attempt,
  { reference }: Deletion,
): Promise<DeletedSubAccount> {
  const lookUp = Scope.ofAgency(database, attempt.agencyId)
  const id = attempt.target ?? (await resolveReference(lookUp, reference))
  const db = Scope.ofAgency(database, attempt.agencyId, { accountId: id })
  return billing.inTurn(attempt.agencyId, async (turn) => {
    const ended = await db.transaction(async () => {
      await lockSubAccount(db, id)
      const queued = await takePlaceAt(db, attempt, id)
      if (queued) return { queued }
      await billing.release(db, turn, { subAccountId: id, seats: 'all' })
      await shutOutUsers(db)
      await revokeAllKeys(db)
      const [{ deletedAt }] = (await db.rows(markDeleted, {})) as [{ deletedAt: string }]
      const deleted = { id, deletedAt: new Date(deletedAt) }
      await finishEvent(db, attempt, { id, deleted_at: deleted.deletedAt.toISOString() })
      return { deleted }
    })
    return ended.deleted ?? raise(ended.queued!)
  })
}

function raise(queued: Queued): never {
  throw queued
}
