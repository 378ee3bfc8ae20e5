import { sql } from 'kysely'
import { param, Scope, Statement } from '../../database/index.js'
import type { Settled, Turn } from '../billing/index.js'
import { type Attempt, failEvent, finishEvent, takePlaceAt } from './event-store.service.js'
import type { Provisioning } from './provisioning.service.js'
import { PROVISIONING_ERRORS, type Queued } from './provisioning-errors.service.js'
import { chargedFor, declinedMessage, requireSettled } from './seat-charged.service.js'
import {
  billableSeats,
  type FoundSubAccount,
  lockSubAccount,
  type Quotas,
  readTerms,
  requireTrialChannels,
  TRIAL_CHANNELS,
  toldQuotas,
  wholeQuotas,
} from './sub-account.service.js'

/** Until when a sub-account is to have its seats for nothing. */
export interface TrialStart {
  /** The id of the sub-account. */
  reference: string
  /** ISO text. */
  endsAt: string
}

/** Whose trial is to end. */
export interface TrialEnd {
  reference: string
  /** Whether it ends though it be not due. */
  early: boolean
}

const setEnd = new Statement<never>(
  sql<never>`update sub_account set trial_ends_at = ${param('endsAt')}::timestamptz
    where agency_id = ${param('agency')} and id = ${param('account')}`,
)

const emptied = new Statement<never>(
  sql<never>`update sub_account set trial_ends_at = null, linkedin = 0, whatsapp = 0, instagram = 0, email_marketing = 0
    where agency_id = ${param('agency')} and id = ${param('account')}`,
)

/**
 * Starts the trial of a sub-account, or gives one that runs another end: seats that were paid are released without credit,
 * and none is paid until somebody has ended it. Throws TRIAL_CHANNEL_LOCKED while there are channels that a trial lacks.
 */
export async function startTrial(
  { database, billing }: Provisioning,
  attempt: Attempt,
  { reference: id, endsAt }: TrialStart,
): Promise<void> {
  const db = Scope.ofAgency(database, attempt.agencyId, { accountId: id })
  await billing.inTurn(attempt.agencyId, async (turn) => {
    const queued = await db.transaction(async () => {
      const found = await lockSubAccount(db, id)
      const behind = await takePlaceAt(db, attempt, id)
      if (behind) return behind
      requireTrialChannels(found, 'A trial has whatsapp alone: set the other channels to 0 first.')
      const released = await billing.release(db, turn, { subAccountId: id, seats: 'all' })
      db.send(setEnd, { endsAt })
      const trial = { status: 'active', ends_at: endsAt, channels: TRIAL_CHANNELS }
      await finishEvent(db, attempt, { id, trial, released_seats: released })
      return undefined
    })
    if (queued) throw queued
  })
}

type Begun = { queued: Queued } | { charge: Settled; found: FoundSubAccount } | { done: true }

/**
 * Ends the trial of a sub-account: from now on its seats are charged as if they were added. When that is declined the
 * sub-account has none, and the event has failed with the reason. What is not due, or has ended, is left as it is.
 */
export async function endTrial(
  provisioning: Provisioning,
  attempt: Attempt,
  { reference: id, early }: TrialEnd,
): Promise<void> {
  const { database, billing } = provisioning
  const db = Scope.ofAgency(database, attempt.agencyId, { accountId: id })
  await billing.inTurn(attempt.agencyId, async (turn) => {
    const begun = await db.transaction(() => beginEnd(provisioning, db, attempt, { turn, early }))
    if ('done' in begun) return
    if ('queued' in begun) throw begun.queued
    const settled = requireSettled(provisioning, attempt, await billing.collect(db, turn, begun.charge))
    await db.transaction(async () => {
      await lockSubAccount(db, id)
      if (settled.state === 'declined') return await endWithoutSeats(db, attempt, settled)
      await billing.apply(db, turn, settled.id)
      await endWith(db, attempt, begun.found, settled)
    })
  })
}

async function beginEnd(
  { billing }: Provisioning,
  db: Scope,
  attempt: Attempt,
  { turn, early }: { turn: Turn; early: boolean },
): Promise<Begun> {
  const id = db.accountId
  const found = await lockSubAccount(db, id)
  const queued = await takePlaceAt(db, attempt, id)
  if (queued) return { queued }
  if (!(found.trialIsDue || (early && found.inTrial))) {
    await finishEvent(db, attempt, told(id, found, null), 'ignored')
    return { done: true }
  }
  // Nothing changes them before this is over: all that is asked of the sub-account comes after this event.
  const seats = billableSeats(found, await readTerms(db))
  if (seats > 0) {
    const request = { key: attempt.id, kind: 'trial_end' as const, subAccountId: id, seats, client: found.name }
    return { charge: await billing.prepare(db, turn, request), found }
  }
  await endWith(db, attempt, found, null)
  return { done: true }
}

async function endWith(db: Scope, attempt: Attempt, found: FoundSubAccount, settled: Settled | null): Promise<void> {
  db.send(setEnd, { endsAt: null })
  await finishEvent(db, attempt, told(found.id, found, settled))
}

async function endWithoutSeats(db: Scope, attempt: Attempt, { decline }: Settled): Promise<void> {
  db.send(emptied, {})
  const { status } = PROVISIONING_ERRORS.SEAT_CHARGE_FAILED
  const message = declinedMessage(decline, 'the trial has ended and all channels were set to 0')
  const body = { code: 'SEAT_CHARGE_FAILED', message, channels: toldQuotas(wholeQuotas(null)) }
  await failEvent(db, attempt, { status, code: body.code, message, body })
}

/** As an event's result holds it. */
const told = (id: string, channels: Quotas, settled: Settled | null) => ({
  id,
  channels: toldQuotas(channels),
  trial: null,
  seat_charge: settled && chargedFor(settled, settled.seats),
})
