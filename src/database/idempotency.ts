import { sql } from 'kysely'
import { AppError } from '../shared/errors.js'
import type { Database } from './database.js'
import { failureCode, violates } from './failures.js'
import type { Scope } from './scope.js'
import { param, Statement } from './statement.js'

/** Which call is not to happen twice. */
export interface IdempotentCall {
  operation: string
  key: string
  /** Hash of what was sent; a repeat must send the same. */
  requestHash: Buffer
}

/** An answer as it was sent, or is going to be. */
export interface KeptAnswer {
  status: number
  body: string
  /**
   * What its `data` has once a record that it tells of, but did not write, is erased, as JSON of those members. Null when
   * the whole answer goes then.
   */
  erased?: string | null
  /** Whether it holds what is known only after the commit, and is filled in for each who asks. */
  promised?: boolean
}

/** What became of a call: `fresh` ran now, `replayed` had run before; the others did not run. */
export type Idempotent =
  | ({ kind: 'fresh' | 'replayed' } & KeptAnswer)
  | { kind: 'busy' | 'reused' | 'erased'; status?: undefined; body?: undefined }

interface Claim {
  locked: boolean
  request_hash: Buffer | null
  state: string | null
  status: number | null
  body: string | null
}

const claim = new Statement<Claim>(
  sql<Claim>`select * from claim_idempotency_key(${param('account')}, ${param('operation')}, ${param('key')},
    ${param('ttl')}::interval)`,
  { prepared: true },
)

// The lock of claim_idempotency_key. Sent ahead of the work without waiting: a failure is all that it has to tell, and the
// only one that SQL can make is a division by zero.
const lockOrFail = new Statement<never>(
  sql<never>`select 1 / pg_try_advisory_xact_lock(
    hashtextextended(${param('account')}::text || ${param('operation')} || chr(1) || ${param('key')}, 4712))::int`,
  { prepared: true },
)
const NOT_LOCKED = '22012'

const record = new Statement<never>(
  sql<never>`insert into idempotency_record (account_id, operation, key, request_hash, state, status, body, erased, written)
    values (${param('account')}, ${param('operation')}, ${param('key')}, ${param('requestHash')}, ${param('state')}, ${param('status')},
      ${param('body')}, ${param('erased')}::jsonb, ${param('written')}::uuid[])`,
  { prepared: true },
)
/** The state of an answer that is not whole. */
const PROMISED = 'promised'
const RECORD_KEY = 'idempotency_record_pkey'

const forgetOutlived = new Statement<never>(
  sql<never>`delete from idempotency_record where account_id = ${param('account')}
    and operation = ${param('operation')} and key = ${param('key')} and created_at < now() - ${param('ttl')}::interval`,
)

// Of an answer whose own record stays, only what tells of the erased one goes.
const stays = sql`erased is not null and not (body::jsonb #>> '{data,id}')::uuid = any(${param('ids')}::uuid[])`
const erase = new Statement<never>(
  sql<never>`update idempotency_record set
      body = case when ${stays} then jsonb_set(body::jsonb, '{data}', body::jsonb -> 'data' || erased)::text end,
      state = case when ${stays} then state else 'erased' end,
      request_hash = case when ${stays} then request_hash else '' end
    where account_id = ${param('account')} and (operation, key) in (
      select operation, key from idempotency_record
      where account_id = ${param('account')} and written && ${param('ids')}::uuid[] and state <> 'erased'
      order by operation, key for no key update)`,
)

/**
 * Runs the work unless the key has been used, and keeps its answer, all in one transaction. A key that another
 * transaction holds at this moment is `busy`; nothing waits here, so no connection is held meanwhile.
 *
 * Nearly every key is new, so the work runs at once: it stays only when its record can be stored, which the primary key
 * decides. What fails, be it because the first call has written already, starts anew with a look at the key; a call that
 * is known to be a `repeat` begins with that.
 */
export async function once(
  scope: Scope,
  { key, ...asked }: IdempotentCall,
  ttlHours: number,
  work: () => Promise<KeptAnswer>,
  repeat = false,
): Promise<Idempotent> {
  // Callers put what they like into a key, an email address as soon as not, so it is nowhere kept as such.
  const call = { ...asked, key: scope.sign('Idempotency-Key', asked.operation, key).toString('hex') }
  try {
    if (!repeat) return await lockAndRun(scope, call, work)
  } catch (error) {
    if (!(isTaken(error) || isRefusal(error) || failureCode(error) === NOT_LOCKED)) throw error
  }
  try {
    return await claimAndRun(scope, call, `${ttlHours} hours`, work)
  } catch (error) {
    if (isTaken(error)) return { kind: 'busy' } // by a call that did not look first: the next look finds its record
    throw error
  }
}

const isTaken = (error: unknown) => violates(error, RECORD_KEY)
const isRefusal = (error: unknown) => error instanceof AppError && error.status < 500

function lockAndRun(scope: Scope, call: IdempotentCall, work: () => Promise<KeptAnswer>): Promise<Idempotent> {
  return scope.transaction(() => {
    scope.send(lockOrFail, { ...call })
    return runAndKeep(scope, call, work)
  })
}

async function runAndKeep(scope: Scope, call: IdempotentCall, work: () => Promise<KeptAnswer>): Promise<Idempotent> {
  const { status, body, erased = null } = await work()
  const { promised, written } = scope
  scope.send(record, { ...call, state: promised ? PROMISED : 'done', status, body, erased, written })
  return { kind: 'fresh', status, body, ...(promised && { promised }) }
}

function claimAndRun(
  scope: Scope,
  call: IdempotentCall,
  ttl: string,
  work: () => Promise<KeptAnswer>,
): Promise<Idempotent> {
  return scope.transaction(async () => {
    const [known] = await scope.rows(claim, { ...call, ttl })
    if (!known!.locked) return { kind: 'busy' }
    if (known!.request_hash) return replay(known!, call)
    scope.send(forgetOutlived, { ...call, ttl })
    return runAndKeep(scope, call, work)
  })
}

function replay({ request_hash, state, status, body }: Claim, { requestHash }: IdempotentCall): Idempotent {
  if (state === 'erased') return { kind: 'erased' }
  if (!requestHash.equals(request_hash!)) return { kind: 'reused' }
  return { kind: 'replayed', status: status!, body: body!, ...(state === PROMISED && { promised: true }) }
}

/**
 * Forgets what is kept of these records in the answers of calls: a repeat of one that wrote nothing else hears that they
 * are gone, any other is answered without them.
 */
export async function eraseKeptAnswers(scope: Scope, ids: readonly string[]): Promise<void> {
  await scope.rows(erase, { ids })
}

/** Removes the records of keys that are older than the time they are kept; returns how many. */
export async function sweepIdempotencyRecords(database: Database, ttlHours: number): Promise<number> {
  const { rowCount } = await database.pool.query(
    // Those that somebody erases at this moment go the next time: nobody waits for this while it waits itself.
    `delete from idempotency_record where ctid = any(array(select ctid from idempotency_record
      where created_at < now() - make_interval(hours => $1) for update skip locked))`,
    [ttlHours],
  )
  return rowCount ?? 0
}
