import { setTimeout as delay } from 'node:timers/promises'
import { Scope } from '../../database/index.js'
import { asTrace } from '../../kit/traced.js'
import { AppError, Deferred } from '../../shared/errors.js'
import { TurnNotReached } from '../billing/index.js'
import { type Claimed, EventClaims } from './event-claim.service.js'
import { type Attempt, failEvent, failureOf } from './event-store.service.js'
import { attemptEvent, type Provisioning, putOff } from './provisioning.service.js'
import { PROVISIONING_ERRORS, TakenOver, TOLD } from './provisioning-errors.service.js'
import { removeReserved } from './sub-account-create.service.js'

export interface WorkerOptions {
  /** Milliseconds between two looks for what is due. */
  pollMs?: number
  /** How many events are carried out at once. */
  atOnce?: number
  /** After so many milliseconds an event waits for its provider, which costs nothing here: its place is another's. */
  slowMs?: number
}

const POLL_MS = 1000
const AT_ONCE = 8
const SLOW_MS = 1000
/** How many events are under way at most, those that wait for their providers among them. */
const MOST = 40
const STOP_MS = 5000

/**
 * Carries out the events that wait: those that are tried again, those behind others, and those whose process has died. However
 * many processes do so, each attempt is made by one of them.
 */
export function startEventWorker(
  provisioning: Provisioning,
  { pollMs = POLL_MS, atOnce = AT_ONCE, slowMs = SLOW_MS }: WorkerOptions = {},
): { stop(): Promise<void> } {
  const claims = new EventClaims(provisioning)
  const running = new Set<Promise<void>>()
  const ended = new AbortController()
  let taken = 0 // places
  let woken = () => {}

  const begin = (event: Claimed) => {
    let leave = () => {
      taken--
      leave = () => {}
      woken()
    }
    taken++
    const slow = setTimeout(() => leave(), slowMs)
    const { database } = provisioning
    const run = asTrace(database, event.action, { agencyId: event.agencyId }, () => carryOut(provisioning, event))
      .catch((error) => provisioning.log(error, event.id))
      .finally(() => {
        clearTimeout(slow)
        running.delete(run)
        leave()
        woken() // the agency may have more
      })
    running.add(run)
  }

  const loop = async () => {
    while (!ended.signal.aborted) {
      const wake = new Promise<void>((resolve) => {
        woken = resolve
      })
      try {
        const room = Math.min(atOnce - taken, MOST - running.size)
        if (room > 0) for (const event of await claims.take(room)) begin(event)
      } catch (error) {
        provisioning.log(error, 'none')
      }
      const rest = delay(pollMs, undefined, { signal: ended.signal, ref: false }).catch(() => {})
      await Promise.race([wake, rest])
    }
  }
  const looping = loop()

  return {
    stop: async () => {
      ended.abort()
      const done = looping.then(() => Promise.all(running))
      await Promise.race([done, delay(STOP_MS, undefined, { ref: false })])
    },
  }
}

/** Makes an attempt at an event, or ends it when it has had all of them. */
async function carryOut(provisioning: Provisioning, event: Claimed): Promise<void> {
  const { id, agencyId, action, attempts, input, target, spent } = event
  const attempt: Attempt = { id, agencyId, action, number: attempts, input, target, awaited: false }
  const db = Scope.ofAgency(provisioning.database, agencyId, { accountId: target ?? undefined })
  try {
    if (spent) return await giveUp(provisioning, db, attempt)
    await attemptEvent(provisioning, attempt as never)
  } catch (error) {
    if (error instanceof TakenOver) return
    if (error instanceof TurnNotReached) return await putOff(provisioning, attempt, error, { counts: true })
    if (error instanceof AppError) return await failEvent(db, attempt, failureOf(error))
    if (!(error instanceof Deferred)) throw error
  }
}

async function giveUp(provisioning: Provisioning, db: Scope, attempt: Attempt): Promise<void> {
  const { billing } = provisioning
  const failure = failureOf(new AppError(PROVISIONING_ERRORS.TRANSIENT_FAILURE, TOLD.TRANSIENT_FAILURE))
  await billing.inTurn(attempt.agencyId, (turn) =>
    db.transaction(async () => {
      await billing.abandon(db, turn, attempt.id)
      if (attempt.action === 'sub_account.create' && attempt.target) await removeReserved(provisioning, db)
      await failEvent(db, attempt, failure)
    }),
  )
}
