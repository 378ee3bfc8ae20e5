import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import type { Database } from '../../database/index.js'
import type { Clock } from '../../shared/clock.js'
import type { Keyed, Unsettled } from './provider.js'

/**
 * What goes wrong with calls, on demand: they are `slow`; the provider is `down` or `busy`; the answer is lost `before` the
 * effect or `after` it; or an error of the provider's own, which it answers again to the same key, stands in the place of the
 * effect (`error_before`) or of its answer (`error_after`).
 */
export type FaultKind = 'slow' | 'down' | 'busy' | 'lost_before' | 'lost_after' | 'error_before' | 'error_after'

interface Fault {
  kind: FaultKind
  delayMs: number
}

/** How long keys are remembered, as at Stripe. */
const REMEMBERED = '24 hours'

// The oldest that fits; a fault of all customers or calls fits each.
const TAKE_FAULT = `with taken as (
    select id from sandbox_fault where left_over > 0 and (method is null or method = $1)
      and (customer is null or customer = $2) order by id limit 1 for update)
  update sandbox_fault f set left_over = left_over - 1 from taken where f.id = taken.id
  returning f.kind, f.delay_ms as "delayMs"`

const LOCK_KEY = 'select pg_advisory_xact_lock(hashtextextended($1, 4715))'
const KNOWN = `select method = $2 and request = $3::jsonb as same, answer from sandbox_call
  where key = $1 and created_at > $4::timestamptz - interval '${REMEMBERED}'`
const REMEMBER = `insert into sandbox_call (key, method, request, answer, created_at) values ($1, $2, $3, $4, $5)
  on conflict (key) do update set method = excluded.method, request = excluded.request, answer = excluded.answer,
    created_at = excluded.created_at`

const lost: Unsettled = { outcome: 'ambiguous', reason: 'the answer was lost', keyIsSpent: false }
const failed: Unsettled = { outcome: 'ambiguous', reason: 'the provider failed', keyIsSpent: true }
const down: Unsettled = { outcome: 'transient', reason: 'the provider cannot be reached' }
const busy: Unsettled = { outcome: 'transient', reason: 'the provider is too busy' }
const reused: Unsettled = { outcome: 'transient', reason: 'the key was used with other content', ourFault: true }

/** A statement that connections keep prepared, under a name that tells its text from all others. */
export const kept = (text: string, values: unknown[]) => ({ name: digestOf(text), text, values })
const digestOf = (text: string) => `sandbox_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`

const isRefused = (answer: unknown) => (answer as { outcome?: string }).outcome === 'transient'

/** The calls of the sandbox: each with its effect once, whatever goes wrong on the way to it and back. */
export class SandboxCalls {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** A call that changes something; its effect and the memory of its answer are one transaction. */
  async change<Request extends Keyed, Answer>(
    method: string,
    customer: string | undefined,
    { key, ...request }: Request,
    effect: (client: pg.PoolClient) => Promise<Answer>,
  ): Promise<Answer | Unsettled> {
    const fault = await this.meet(method, customer)
    if (fault === 'down') return down
    if (fault === 'busy') return busy
    if (fault === 'lost_before') return lost
    const content = JSON.stringify(request)
    const answer = await this.transaction(async (client) => {
      await client.query(kept(LOCK_KEY, [key]))
      const now = this.clock().toISOString()
      const { rows } = await client.query<{ same: boolean; answer: Answer }>(kept(KNOWN, [key, method, content, now]))
      const [known] = rows
      if (known) return known.same ? known.answer : reused
      const made = fault === 'error_before' ? failed : await effect(client)
      const told = fault === 'error_after' ? failed : made
      // What is refused before anything is done is no answer to the key, as at Stripe.
      if (isRefused(told)) return told
      await client.query(kept(REMEMBER, [key, method, content, JSON.stringify(told), now]))
      return told
    })
    return fault === 'lost_after' ? lost : answer
  }

  /** A call that only looks; without an answer it comes to nothing. */
  async look<Answer>(method: string, customer: string | undefined, read: (client: pg.PoolClient) => Promise<Answer>) {
    const fault = await this.meet(method, customer)
    if (fault !== undefined && fault !== 'slow') return { outcome: 'transient' as const, reason: down.reason }
    return this.transaction(read)
  }

  /** Forgets keys that count no more, and faults that are used up. */
  async sweep(): Promise<void> {
    const now = this.clock().toISOString()
    await this.database.pool.query(
      `delete from sandbox_call where created_at <= $1::timestamptz - interval '${REMEMBERED}'`,
      [now],
    )
    await this.database.pool.query('delete from sandbox_fault where left_over = 0')
  }

  private async meet(method: string, customer: string | undefined): Promise<FaultKind | undefined> {
    const { rows } = await this.database.pool.query<Fault>(kept(TAKE_FAULT, [method, customer]))
    const [fault] = rows
    if (fault) await delay(fault.delayMs)
    return fault?.kind
  }

  private async transaction<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.database.pool.connect()
    let broken: Error | undefined
    try {
      await client.query('begin')
      const result = await work(client)
      await client.query('commit')
      return result
    } catch (error) {
      await client.query('rollback').catch((failure: Error) => {
        broken = failure
      })
      throw error
    } finally {
      client.release(broken)
    }
  }
}
