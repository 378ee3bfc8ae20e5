import { type Database, defineNeed, Scope } from '../../database/index.js'
import { AppError, Deferred } from '../../shared/errors.js'
import { AgencyBusy, type SeatBilling, TurnNotReached } from '../billing/index.js'
import type { AgencyAction } from './agency-event.entity.js'
import { type Attempt, postponeEvent } from './event-store.service.js'
import { Queued, TakenOver } from './provisioning-errors.service.js'
import { changeChannels } from './sub-account-channels.service.js'
import { createSubAccount } from './sub-account-create.service.js'
import { deleteSubAccount } from './sub-account-delete.service.js'
import { endTrial, startTrial } from './trial.service.js'

/** With what events are carried out, and at which pace; times in milliseconds. */
export interface Provisioning {
  database: Database
  billing: SeatBilling
  /** How long an attempt may take before another worker takes the event. */
  leaseMs: number
  /** The pause after the first failure that may pass; it doubles with each. */
  retryMs: number
  /** How long a caller waits for the outcome of its call, before it is told that it is not done yet. */
  answerMs: number
  log: (error: unknown, eventId: string) => void
}

/** With what events are carried out that nobody has called for over the agencies' API. */
export const provisioningMeans = defineNeed<Provisioning>('provisioning')

/** The usual pace. */
export const EVENT_PACE = { leaseMs: 60_000, retryMs: 5000, answerMs: 25_000 }

/** With what an attempt ends that has nothing more to do with its event. */
const NOT_ITS_OWN = [Queued, TakenOver, Deferred]

/** How often an event is begun. */
export const MAX_ATTEMPTS = 5

/** The use cases, by what the calls are. */
const USE_CASES = {
  'sub_account.create': createSubAccount,
  'sub_account.channels.update': changeChannels,
  'sub_account.delete': deleteSubAccount,
  'sub_account.trial.start': startTrial,
  'sub_account.trial.end': endTrial,
} satisfies Record<AgencyAction, unknown>

/** What each use case takes. */
export type Inputs = { [Action in AgencyAction]: Parameters<(typeof USE_CASES)[Action]>[2] }

/** What each use case comes to. */
export type Results = { [Action in AgencyAction]: Awaited<ReturnType<(typeof USE_CASES)[Action]>> }

/**
 * Makes one attempt at an event. An error of the caller's own is thrown for whoever asked, who ends the event with it; of
 * a failure that may pass, and of a place in a queue, Deferred tells.
 */
export async function attemptEvent<Action extends AgencyAction>(
  provisioning: Provisioning,
  attempt: Attempt & { action: Action; input: Inputs[Action] },
): Promise<Results[Action]> {
  const carryOut = USE_CASES[attempt.action] as (...given: unknown[]) => Promise<Results[Action]>
  try {
    return await carryOut(provisioning, attempt, attempt.input)
  } catch (error) {
    if (error instanceof AppError && error.status < 500) throw error
    if (!NOT_ITS_OWN.some((kind) => error instanceof kind)) await putOff(provisioning, attempt, error)
    throw new Deferred()
  }
}

/**
 * Leaves an event to a worker, after a pause. Who has not come to the agency's turn has tried nothing: unless it `counts`,
 * that was no attempt. When not even this can be stored, the lease of the event will end.
 */
export async function putOff(
  { database, retryMs, log }: Provisioning,
  attempt: Attempt,
  error: unknown,
  { counts = !(error instanceof TurnNotReached) } = {},
): Promise<void> {
  const isUsual = error instanceof Transient || error instanceof AgencyBusy
  if (!isUsual) log(error, attempt.id)
  const reason = isUsual ? error.message : 'The service could not carry it out.'
  const pauseMs = pauseAfter(error instanceof TurnNotReached ? 1 : attempt.number, retryMs)
  try {
    await postponeEvent(Scope.ofAgency(database, attempt.agencyId), attempt, { reason, pauseMs, counts })
  } catch (failure) {
    log(failure, attempt.id)
  }
}

/** Any time up to a bound that doubles, but not less than half of it: whoever failed together does not come back together. */
const pauseAfter = (attempts: number, ms: number) =>
  attempts < MAX_ATTEMPTS ? ms * 2 ** (attempts - 1) * (0.5 + Math.random() / 2) : 0 // after the last it is given up

/** A failure that is nobody's fault and may pass, in words that may be shown. */
export class Transient extends Error {}
