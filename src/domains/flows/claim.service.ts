import type { Database } from '../../database/index.js'

/** An enrollment whose next step this process has claimed. */
export interface Claimed {
  id: string
  accountId: string
  flowId: string
  version: number
  step: number
  contactId: string
  opportunityId: string | null
  mailId: string | null
  /** How often the step was begun, this time included. */
  attempts: number
}

/** How long whoever has claimed a step may take, in milliseconds. After that another takes it; it happens once all the same. */
export const LEASE_MS = 60_000

// Each account in its turn: the first that is due of each, then the second of each, and so on. The walk goes from account
// to account along the index, and what another worker is about to take is passed over.
const CLAIM = `with recursive walk as (
    (select account_id from flow_enrollment where state = 'active' order by account_id limit 1)
    union all
    select (select e.account_id from flow_enrollment e
      where e.state = 'active' and e.account_id > w.account_id order by e.account_id limit 1)
    from walk w where w.account_id is not null),
  ripe as (
    select e.id, e.due_at, row_number() over (partition by w.account_id order by e.due_at, e.id) as turn
    from walk w cross join lateral (
      select id, due_at from flow_enrollment e
      where e.account_id = w.account_id and e.state = 'active' and e.due_at <= $1
        and (e.claimed_until is null or e.claimed_until <= $1)
      order by e.due_at limit $2 * 3) e
    where w.account_id is not null order by turn, e.due_at limit $2 * 3),
  mine as (
    select e.id from ripe r join flow_enrollment e on e.id = r.id
    where e.state = 'active' and (e.claimed_until is null or e.claimed_until <= $1)
    order by r.turn, r.due_at limit $2 for no key update of e skip locked)
  update flow_enrollment e set claimed_until = $1::timestamptz + $3::float8 * interval '1 millisecond',
    attempts = e.attempts + 1
  from mine where e.id = mine.id
  returning e.id, e.account_id as "accountId", e.flow_id as "flowId", e.version, e.step, e.contact_id as "contactId",
    e.opportunity_id as "opportunityId", e.mail_id as "mailId", e.attempts`

/** Claims at most so many steps that are due, of all accounts in turn. */
export async function claimSteps({ pool }: Database, limit: number, at: Date): Promise<Claimed[]> {
  return (await pool.query<Claimed>(CLAIM, [at, limit, LEASE_MS])).rows
}

const RELEASE = `update flow_enrollment set claimed_until = $2::timestamptz, attempts = attempts - $3
  where id = any($1) and claimed_until is not null`

/** Lets claimed steps go that did not happen, to be tried again at an instant; `counted` if that was an attempt. */
export async function releaseSteps({ pool }: Database, claimed: readonly Claimed[], until: Date, counted = false) {
  if (claimed.length === 0) return
  const ids = claimed.map(({ id }) => id)
  await pool.query(RELEASE, [ids, until, counted ? 0 : 1])
}
