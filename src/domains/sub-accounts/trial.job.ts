import { type Database, Scope } from '../../database/index.js'
import type { RecurringJob } from '../../kit/job.js'
import { AppError } from '../../shared/errors.js'
import { queueTrialEnd } from './event-store.service.js'
import { lockSubAccount } from './sub-account.service.js'

// Those whose end waits already are passed over: while billing is out of reach there may be many.
const DUE = `select s.id, s.agency_id as "agencyId" from sub_account s
  where s.trial_ends_at <= now() and s.status = 'active'
    and not exists (select from agency_event e where e.target_account_id = s.id and e.action = 'sub_account.trial.end'
      and e.status in ('pending', 'processing'))
  order by s.trial_ends_at`

/** Has every trial that is due end, by an event of its own that a worker carries out. */
export async function endDueTrials(database: Database): Promise<void> {
  const { rows } = await database.pool.query<{ id: string; agencyId: string }>(DUE)
  for (const { id, agencyId } of rows) {
    const db = Scope.ofAgency(database, agencyId, { accountId: id })
    await db.transaction(() => queueIfDue(db, id))
  }
}

async function queueIfDue(db: Scope, id: string): Promise<void> {
  try {
    if ((await lockSubAccount(db, id)).trialIsDue) await queueTrialEnd(db, id)
  } catch (error) {
    if (!(error instanceof AppError && error.status === 404)) throw error // it was deleted meanwhile
  }
}

/** The jobs of sub-accounts. */
export const subAccountJobs: RecurringJob[] = [{ name: 'end-trials', cron: '* * * * *', run: endDueTrials }]
