import type { Scope } from '../../database/index.js'
import type { ActionPlace } from '../../kit/action.js'
import { settleLater } from './action.job.js'
import { type AskedAction, decidedActions, storeActions } from './action-asked.service.js'

/**
 * Stores, with the open transaction, the actions that were asked for and what domains ask for by themselves of an
 * opportunity that has come into a pipeline; where nobody asked, they happen in the background after the commit.
 */
export async function beginActions(
  db: Scope,
  place: ActionPlace,
  asked: readonly Omit<AskedAction, 'opportunityId'>[] = [],
): Promise<Omit<AskedAction, 'opportunityId'>[]> {
  const all = [...asked, ...(await decidedActions(db, place, asked))]
  if (all.length > 0) storeActions(db, place.opportunityId, all)
  if (asked.length === 0) settleLater(db, all)
  return all
}
