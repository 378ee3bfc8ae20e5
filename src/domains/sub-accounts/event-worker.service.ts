import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { flushedLater, param, Scope, Statement } from '../../database/index.js'
import { AppError, Deferred } from '../../shared/errors.js'
import { NO_ACCOUNT } from '../../shared/viewer.js'
import type { AgencyAction } from './agency-event.entity.js'
import { type Attempt, failEvent, failureOf } from './event-store.service.js'
import { attemptEvent, MAX_ATTEMPTS, type Provisioning } from './provisioning.service.js'
import { PROVISIONING_ERRORS, TakenOver, TOLD } from './provisioning-errors.service.js'
import { removeReserved } from './sub-account-create.service.js'

export interface WorkerOptions {
  /** Milliseconds between two looks for what is due. */
  pollMs?: number
  /** How many events are carried out at once. */
  atOnce?: number
}

const POLL_MS = 1000
const AT_ONCE = 8
const STOP_MS = 5000

interface Row {
  id: string
  agencyId: string
  action: AgencyAction
  attempts: number
  input: Record<string, unknown>
  target: string | null
  spent: boolean
}

// What waits, and what a process has left behind that died. Of a sub-account's events only the first is due. A fifth attempt
// was the last: whoever takes the event after it gives it up.
const take = new Statement<Row>(
  sql<Row>`with due as (
    select e.id from agency_event e
    where e.status in ('pending', 'processing') and e.due_at <= now()
      and not exists (select from agency_event b where b.target_account_id = e.target_account_id and b.place < e.place
        and b.status in ('pending', 'processing'))
    order by e.due_at limit ${param('limit')}::int for update of e skip locked)
  update agency_event e set status = 'processing', attempts = least(e.attempts + 1, ${sql.lit(MAX_ATTEMPTS)}), deferred = true,
    due_at = now() + ${param('lease')}::float8 * interval '1 millisecond', last_attempt_at = now()
  from due join agency_event o on o.id = due.id where e.id = due.id
  returning e.id, e.agency_id as "agencyId", e.action, e.attempts, e.input, e.target_account_id as target,
    o.attempts >= ${sql.lit(MAX_ATTEMPTS)} as spent, ${flushedLater}`,
  { prepared: true, ofService: true },
)

/**
 * Carries out the events that wait: those that are tried again, those behind others, and those whose process has died. However
 * many processes do so, each attempt is made by one of them.
 */
export function startEventWorker(
  provisioning: Provisioning,
  { pollMs = POLL_MS, atOnce = AT_ONCE }: WorkerOptions = {},
): { stop(): Promise<void> } {
  const running = new Set<Promise<void>>()
  const ended = new AbortController()
  let woken = () => {}

  const begin = (row: Row) => {
    const run = carryOut(provisioning, row)
      .catch((error) => provisioning.log(error, row.id))
      .finally(() => {
        running.delete(run)
        woken() // the sub-account may have more, and there is room again
      })
    running.add(run)
  }

  const loop = async () => {
    while (!ended.signal.aborted) {
      const wake = new Promise<void>((resolve) => {
        woken = resolve
      })
      try {
        const room = atOnce - running.size
        if (room > 0) for (const row of await takeEvents(provisioning, room)) begin(row)
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

async function takeEvents({ database, leaseMs }: Provisioning, limit: number): Promise<Row[]> {
  return Scope.ofSystem(database, NO_ACCOUNT).rows(take, { limit, lease: leaseMs })
}

/** Makes an attempt at an event, or ends it when it has had all of them. */
async function carryOut(provisioning: Provisioning, row: Row): Promise<void> {
  const { id, agencyId, action, attempts, input, target, spent } = row
  const attempt: Attempt = { id, agencyId, action, number: attempts, input, target, awaited: false }
  const db = Scope.ofAgency(provisioning.database, agencyId, { accountId: target ?? undefined })
  try {
    if (spent) return await giveUp(provisioning, db, attempt)
    await attemptEvent(provisioning, attempt as never)
  } catch (error) {
    if (error instanceof TakenOver) return
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
