import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import type { AppError } from '../../shared/errors.js'
import { newId } from '../../shared/ids.js'
import type { AgencyAction, AgencyEventStatus } from './agency-event.entity.js'
import { Queued, TakenOver } from './provisioning-errors.service.js'

/** One attempt at carrying out an event. */
export interface Attempt {
  id: string
  agencyId: string
  action: AgencyAction
  /** Which one, from 1: who comes with an earlier number has lost the event. */
  number: number
  input: object
  /** The sub-account, once the event has its place among those of it. */
  target: string | null
  /** Whether its caller waits for the outcome. */
  awaited: boolean
}

/** What is asked for by a call. */
export interface NewEvent {
  id: string
  action: AgencyAction
  key: Buffer | null
  requestHash: Buffer
}

/** An event as a repeat of its call is answered from it. */
export interface KnownEvent {
  id: string
  status: AgencyEventStatus
  requestHash: Buffer
  deferred: boolean
  result: Record<string, unknown> | null
  failure: Record<string, unknown> | null
  failureStatus: number | null
  /** Whether what it created has been deleted since. */
  gone: boolean
}

const milliseconds = (name: string) => sql`${param(name)}::float8 * interval '1 millisecond'`

const begin = new Statement<{ id: string }>(
  sql<{ id: string }>`insert into agency_event
      (id, agency_id, action, status, attempts, input, key, request_hash, due_at, last_attempt_at)
    values (${param('id')}, ${param('agency')}, ${param('action')}, 'processing', 1, ${param('input')}::jsonb,
      ${param('key')}, ${param('requestHash')}, now() + ${milliseconds('lease')}, now())
    on conflict (agency_id, action, key) where key is not null do nothing returning id`,
  { prepared: true },
)

const refused = new Statement<{ id: string }>(
  sql<{ id: string }>`insert into agency_event
      (id, agency_id, action, status, attempts, key, request_hash, last_attempt_at, processed_at, failure,
        failure_status, error_code, last_error)
    values (${param('id')}, ${param('agency')}, ${param('action')}, 'failed', 1, ${param('key')},
      ${param('requestHash')}, now(), now(), ${param('failure')}::jsonb, ${param('failureStatus')}, ${param('code')},
      ${param('reason')})
    on conflict (agency_id, action, key) where key is not null do nothing returning id`,
  { prepared: true },
)

const known = new Statement<KnownEvent>(
  sql<KnownEvent>`select e.id, e.status, e.request_hash as "requestHash", e.deferred, e.result, e.failure,
      e.failure_status as "failureStatus",
      exists (select from sub_account s where e.action = 'sub_account.create' and s.id = e.target_account_id
        and s.status = 'deleted') as gone
    from agency_event e where e.agency_id = ${param('agency')} and e.action = ${param('action')} and e.key = ${param('key')}
      and e.received_at > now() - ${param('ttl')}::interval`,
  { prepared: true },
)

const forgetKey = new Statement<never>(
  sql<never>`update agency_event set key = null where agency_id = ${param('agency')} and action = ${param('action')}
    and key = ${param('key')} and received_at <= now() - ${param('ttl')}::interval`,
)

const isMine = sql`agency_id = ${param('agency')} and id = ${param('id')} and status = 'processing'
  and attempts = ${param('number')}`

const finish = new Statement<{ deferred: boolean }>(
  sql<{ deferred: boolean }>`update agency_event set status = ${param('status')}, result = ${param('result')}::jsonb,
      processed_at = now(), due_at = null, input = null, last_error = null
    where ${isMine} returning deferred`,
  { prepared: true },
)

const fail = new Statement<{ id: string }>(
  sql<{ id: string }>`update agency_event set status = 'failed', failure = ${param('failure')}::jsonb,
      failure_status = ${param('failureStatus')}, error_code = ${param('code')}, last_error = ${param('reason')},
      processed_at = now(), due_at = null, input = null,
      key = case when ${param('failureStatus')} = 429 then null else key end
    where ${isMine} returning id`,
  { prepared: true },
)

const postpone = new Statement<{ id: string }>(
  sql<{ id: string }>`update agency_event set status = 'pending', deferred = true, last_error = ${param('reason')},
      due_at = now() + ${milliseconds('pause')}, attempts = attempts - ${param('uncounted')}::int
    where ${isMine} returning id`,
)

const queue = new Statement<{ id: string }>(
  sql<{ id: string }>`update agency_event set status = 'pending', deferred = true, attempts = 0, last_attempt_at = null,
      due_at = now(), target_account_id = ${param('target')}, place = nextval('agency_event_place')
    where ${isMine} returning id`,
)

const takePlace = new Statement<{ id: string }>(
  sql<{
    id: string
  }>`update agency_event set target_account_id = ${param('target')}, place = nextval('agency_event_place')
    where ${isMine} returning id`,
  { prepared: true },
)

const ahead = new Statement<{ id: string }>(
  sql<{ id: string }>`select id from agency_event where agency_id = ${param('agency')}
    and target_account_id = ${param('target')} and status in ('pending', 'processing') and id <> ${param('id')} limit 1`,
  { prepared: true },
)

// After one that has failed for good the next waits for an hour: what it failed for takes people, or time.
const addTrialEnd = new Statement<{ id: string }>(
  sql<{ id: string }>`insert into agency_event
      (id, agency_id, action, status, target_account_id, place, input, request_hash, deferred, due_at)
    select ${param('id')}, ${param('agency')}, 'sub_account.trial.end', 'pending', ${param('target')}::uuid,
      nextval('agency_event_place'), ${param('input')}::jsonb, ${param('requestHash')}, true, now()
    where not exists (select from agency_event e where e.agency_id = ${param('agency')}
      and e.target_account_id = ${param('target')}::uuid and e.action = 'sub_account.trial.end'
      and (e.status in ('pending', 'processing') or (e.error_code = 'TRANSIENT_FAILURE' and e.processed_at > now() - interval '1 hour')))
    returning id`,
)

const defer = new Statement<{ id: string }>(
  sql<{
    id: string
  }>`update agency_event set deferred = true where agency_id = ${param('agency')} and id = ${param('id')}
    and status in ('pending', 'processing') returning id`,
)

/** Stores an event that is carried out from now on; false when there is one with the key already. */
export async function beginEvent(db: Scope, event: NewEvent, input: object, leaseMs: number): Promise<boolean> {
  const values = { ...event, input: JSON.stringify(input), lease: leaseMs }
  return (await db.rows(begin, values)).length > 0
}

/** Stores an event that came to nothing before it began; false when there is one with the key already. */
export async function storeRefused(db: Scope, event: NewEvent, failure: Failure): Promise<boolean> {
  // A repeat of a call that came too often is a new attempt.
  const key = failure.status === 429 ? null : event.key
  return (await db.rows(refused, { ...event, ...valuesOf(failure), key })).length > 0
}

/** The event of an earlier call with this key, if the key is still kept. */
export async function findByKey(
  db: Scope,
  { action, key }: Pick<NewEvent, 'action' | 'key'>,
  ttlHours: number,
): Promise<KnownEvent | undefined> {
  return (await db.rows(known, { action, key, ttl: `${ttlHours} hours` }))[0]
}

/** Frees a key that was kept for longer than keys are. */
export async function forgetOutlivedKey(
  db: Scope,
  { action, key }: Pick<NewEvent, 'action' | 'key'>,
  ttlHours: number,
): Promise<void> {
  await db.rows(forgetKey, { action, key, ttl: `${ttlHours} hours` })
}

/** How a call ended that came to nothing, as its caller is told. */
export interface Failure {
  status: number
  code: string
  message: string
  /** The `error` of the answer, if it says more. */
  body?: Record<string, unknown>
}

/** What an error comes to when nobody waits for the answer. */
export const failureOf = (error: AppError): Failure => ({
  status: error.status,
  code: error.code,
  message: error.message,
})

const valuesOf = (failure: Failure) => {
  const { status, code, body } = failure
  const { request_id, ...told } = body ?? { code, message: failure.message }
  return { failure: JSON.stringify(told), failureStatus: status, code, reason: failure.message }
}

const own = ({ id, number }: Attempt) => ({ id, number })

/** Throws unless the statement has met the event as this attempt's own. */
async function mine<Row>(db: Scope, statement: Statement<Row>, attempt: Attempt, values: object): Promise<Row> {
  const [met] = await db.rows(statement, { ...own(attempt), ...values })
  if (!met) throw new TakenOver(`the event ${attempt.id} was taken over by another worker`)
  return met
}

/**
 * Ends an event with what came of it, as a part of the transaction that does it. Returns whether its caller was told before
 * that it is not done yet, and so learns of the result by the event alone.
 */
export async function finishEvent(db: Scope, attempt: Attempt, result: object, status = 'processed'): Promise<boolean> {
  return (await mine(db, finish, attempt, { status, result: JSON.stringify(result) })).deferred
}

/** Ends an event that came to nothing. */
export async function failEvent(db: Scope, attempt: Attempt, failure: Failure): Promise<void> {
  await mine(db, fail, attempt, valuesOf(failure))
}

/** Has an event tried again after a pause, in milliseconds; what does not count was no attempt. */
export async function postponeEvent(
  db: Scope,
  attempt: Attempt,
  { reason, pauseMs, counts }: { reason: string; pauseMs: number; counts: boolean },
): Promise<void> {
  await mine(db, postpone, attempt, { reason, pause: pauseMs, uncounted: counts ? 0 : 1 })
}

/** Notes that the caller of an event is told that it is not done yet; false when it has come to its end after all. */
export async function noteDeferred(db: Scope, { id }: Attempt): Promise<boolean> {
  return (await db.rows(defer, { id })).length > 0
}

/**
 * Gives an event its place among those of its sub-account, whose record the open transaction has locked. Behind one that is
 * not finished it has to wait: then Queued is returned, to be thrown after the commit.
 */
export async function takePlaceAt(db: Scope, attempt: Attempt, target: string): Promise<Queued | undefined> {
  if (attempt.target !== null) return undefined
  const [before] = await db.rows(ahead, { id: attempt.id, target })
  await mine(db, before ? queue : takePlace, attempt, { target })
  return before ? new Queued(`behind the event ${before.id}`) : undefined
}

/**
 * Gives the end of a trial that is due its place behind all that came before, for a worker to carry it out. The open
 * transaction has locked the sub-account; does nothing where its end waits already.
 */
export async function queueTrialEnd(db: Scope, id: string): Promise<void> {
  const input = JSON.stringify({ reference: id, early: false })
  await db.rows(addTrialEnd, { id: newId(), target: id, input, requestHash: hashOf(input) })
}

/** What stands for the content of a call that came over no REST API. */
export const hashOf = (input: string): Buffer => createHash('sha256').update(input).digest()
