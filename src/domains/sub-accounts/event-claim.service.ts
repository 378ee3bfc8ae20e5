import { sql } from 'kysely'
import { flushedLater, param, Scope, Statement } from '../../database/index.js'
import { NIL_ID } from '../../shared/ids.js'
import { NO_ACCOUNT } from '../../shared/viewer.js'
import type { AgencyAction } from './agency-event.entity.js'
import { MAX_ATTEMPTS, type Provisioning } from './provisioning.service.js'

/** An event that a worker has taken, with the number of the attempt that it is about to make. */
export interface Claimed {
  id: string
  agencyId: string
  action: AgencyAction
  attempts: number
  input: Record<string, unknown>
  target: string | null
  /** Whether it has had all its attempts, and is to be given up. */
  spent: boolean
}

/** So long an event waits for its agency's turn to be free before it is taken all the same, and stands in line for it. */
const IN_LINE_AFTER = '10 seconds'

const isOpen = (event: 'e' | 'b') => sql.raw(`${event}.status in ('pending', 'processing')`)

// Goes from agency to agency, as far as it must, and takes what is due of each first: of a sub-account's events only the
// first is. Passes over agencies of which a worker carries out an event, or whose money is being moved: who takes an event
// of theirs could do nothing but wait. What a process that died has left behind is due when its lease ends; a fifth
// attempt was the last: whoever takes the event after it gives it up.
const take = new Statement<Claimed>(
  sql<Claimed>`with recursive agencies as (
    (select e.agency_id from agency_event e where ${isOpen('e')} and e.agency_id > ${param('after')}::uuid
      order by e.agency_id limit 1)
    union all
    select following.agency_id from agencies a cross join lateral (select e.agency_id from agency_event e
      where ${isOpen('e')} and e.agency_id > a.agency_id order by e.agency_id limit 1) following
  ), due as materialized (
    select first.id from agencies a cross join lateral (select e.id from agency_event e
      where e.agency_id = a.agency_id and ${isOpen('e')} and e.due_at <= now()
        and not exists (select from agency_event b where b.agency_id = a.agency_id and b.status = 'processing'
          and b.deferred and b.due_at > now())
        and (e.due_at < now() - ${sql.lit(IN_LINE_AFTER)}::interval
          or not exists (select from billing_standing s where s.agency_id = a.agency_id and s.turn_until > now()))
        and not exists (select from agency_event b where b.target_account_id = e.target_account_id and b.place < e.place
          and ${isOpen('b')})
      order by e.due_at, e.place limit 1 for update of e skip locked) first
    limit ${param('limit')}::int
  )
  update agency_event e set status = 'processing', attempts = least(e.attempts + 1, ${sql.lit(MAX_ATTEMPTS)}), deferred = true,
    due_at = now() + ${param('lease')}::float8 * interval '1 millisecond', last_attempt_at = now()
  from due join agency_event o on o.id = due.id where e.id = due.id
  returning e.id, e.agency_id as "agencyId", e.action, e.attempts, e.input, e.target_account_id as target,
    o.attempts >= ${sql.lit(MAX_ATTEMPTS)} as spent, ${flushedLater}`,
  { prepared: true, ofService: true },
)

/** Takes the events that are due, of one agency after the other, so that none waits for all that another has. */
export class EventClaims {
  private after = NIL_ID

  constructor(private readonly provisioning: Provisioning) {}

  /** So many events at most, each of another agency; nobody else has them until the lease ends. */
  async take(limit: number): Promise<Claimed[]> {
    const begun = this.after
    const claimed = await this.takeAfter(begun, limit)
    const left = limit - claimed.length
    // The round is over: those before come next.
    if (left > 0 && begun !== NIL_ID) claimed.push(...(await this.takeAfter(NIL_ID, left)))
    return claimed
  }

  private async takeAfter(after: string, limit: number): Promise<Claimed[]> {
    const { database, leaseMs: lease } = this.provisioning
    const claimed = await Scope.ofSystem(database, NO_ACCOUNT).rows(take, { after, limit, lease })
    const last = claimed
      .map(({ agencyId }) => agencyId)
      .toSorted()
      .at(-1)
    this.after = last !== undefined && claimed.length === limit ? last : NIL_ID
    return claimed
  }
}
