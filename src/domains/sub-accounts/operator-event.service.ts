import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { tellChange } from '../../kit/changes.js'
import type { Selection } from '../../kit/selection.js'
import { AppError, Deferred, invalid } from '../../shared/errors.js'
import { isUuid, newId } from '../../shared/ids.js'
import type { AgencyEvent } from './agency-event.entity.js'
import { findOwnEvent } from './agency-event.reads.js'
import { type Attempt, beginEvent, failEvent, failureOf, hashOf } from './event-store.service.js'
import { attemptEvent, type Inputs, provisioningMeans } from './provisioning.service.js'

type TrialAction = 'sub_account.trial.start' | 'sub_account.trial.end'

const agencyOf = new Statement<{ agencyId: string }>(
  sql<{ agencyId: string }>`select agency_id as "agencyId" from sub_account
    where id = ${param('id')} and status = 'active'`,
  { ofService: true },
)

/** Starts the trial of a sub-account, or gives the one that runs another end; see startTrial. */
export async function startTrialOf(db: Scope, id: string, endsAt: Date, selection: Selection): Promise<AgencyEvent> {
  if (endsAt <= new Date()) throw invalid([{ path: ['endsAt'], message: 'must lie in the future' }])
  return carryOut(db, 'sub_account.trial.start', { reference: id, endsAt: endsAt.toISOString() }, selection)
}

/** Ends the trial of a sub-account now; see endTrial. */
export const endTrialOf = (db: Scope, id: string, selection: Selection): Promise<AgencyEvent> =>
  carryOut(db, 'sub_account.trial.end', { reference: id, early: true }, selection)

/**
 * Does what an operator asks of a sub-account by an event of its agency, so that it has its turn among what the agency asks,
 * is taken up again after a crash, and can be seen by the agency. Returns the event, which may not have ended yet.
 */
async function carryOut<Action extends TrialAction>(
  db: Scope,
  action: Action,
  input: Inputs[Action],
  selection: Selection,
): Promise<AgencyEvent> {
  const { reference: id } = input
  const [found] = isUuid(id) ? await db.rows(agencyOf, { id }) : []
  if (!found) throw new AppError('NOT_FOUND', 'There is no live sub-account with this id.')
  const own = db.forAgency(found.agencyId)
  const event = { id: newId(), action, key: null, requestHash: hashOf(JSON.stringify(input)) }
  const means = db.get(provisioningMeans)
  await own.transaction(async () => {
    await beginEvent(own, event, input, means.leaseMs)
    await tellChange(own, 'sub_account', id, action === 'sub_account.trial.end' ? 'trial_ended' : 'trial_started')
  })
  const attempt: Attempt = { ...event, agencyId: own.agencyId, number: 1, input, target: null, awaited: true }
  const made = attemptEvent(means, attempt as never).catch((error) =>
    settle(db.ofNobody().forAgency(own.agencyId), attempt, error),
  )
  const timer = new AbortController()
  const late = delay(means.answerMs, undefined, { signal: timer.signal }).catch(() => {})
  made.catch((error) => means.log(error, event.id)).finally(() => timer.abort())
  await Promise.race([made, late])
  return findOwnEvent(own, event.id, selection)
}

/** What came to nothing ends its event, whoever asked for it may still do so or not; what has to wait goes on without whoever asked. */
async function settle(db: Scope, attempt: Attempt, error: unknown): Promise<void> {
  if (error instanceof Deferred) return
  if (error instanceof AppError) await failEvent(db, attempt, failureOf(error))
  throw error
}
