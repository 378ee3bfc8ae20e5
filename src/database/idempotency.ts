import { sql } from 'kysely'
import type { Database } from './database.js'
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

// A row in the way is one that has outlived its time: a younger one would have been found.
const record = new Statement<never>(
  sql<never>`insert into idempotency_record (account_id, operation, key, request_hash, status, body, written)
    values (${param('account')}, ${param('operation')}, ${param('key')}, ${param('requestHash')}, ${param('status')},
      ${param('body')}, ${param('written')}::uuid[])
    on conflict (account_id, operation, key) do update set request_hash = excluded.request_hash, state = 'done',
      status = excluded.status, body = excluded.body, written = excluded.written, created_at = now()`,
  { prepared: true },
)

const erase = new Statement<never>(
  sql<never>`update idempotency_record set state = 'erased', body = null, request_hash = ''
    where account_id = ${param('account')} and written && ${param('ids')}::uuid[] and state <> 'erased'`,
)

/**
 * Runs the work unless the key has been used, and keeps its answer, all in one transaction. A key that another
 * transaction holds at this moment is `busy`; nothing waits here, so no connection is held meanwhile.
 */
export function once(
  scope: Scope,
  call: IdempotentCall,
  ttlHours: number,
  work: () => Promise<KeptAnswer>,
): Promise<Idempotent> {
  return scope.atomically(async () => {
    const [known] = await scope.rows(claim, { ...call, ttl: `${ttlHours} hours` })
    if (!known!.locked) return { kind: 'busy' }
    if (known!.request_hash) return replay(known!, call)
    const { status, body } = await work()
    const written = scope.written
    scope.send(record, { ...call, status, body, written })
    return { kind: 'fresh', status, body }
  })
}

function replay({ request_hash, state, status, body }: Claim, { requestHash }: IdempotentCall): Idempotent {
  if (state === 'erased') return { kind: 'erased' }
  if (!requestHash.equals(request_hash!)) return { kind: 'reused' }
  return { kind: 'replayed', status: status!, body: body! }
}

/** Forgets the kept answers of calls that wrote these records: a repeat hears that they are gone. */
export async function eraseKeptAnswers(scope: Scope, ids: readonly string[]): Promise<void> {
  await scope.rows(erase, { ids })
}

/** Removes the records of keys that are older than the time they are kept; returns how many. */
export async function sweepIdempotencyRecords(database: Database, ttlHours: number): Promise<number> {
  const { rowCount } = await database.pool.query(
    'delete from idempotency_record where created_at < now() - make_interval(hours => $1)',
    [ttlHours],
  )
  return rowCount ?? 0
}
