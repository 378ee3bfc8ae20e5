import type { Database } from '../../database/index.js'
import type { JobIds } from '../../kit/job.js'

/** A job that this process has taken. */
export interface TakenJob {
  id: string
  accountId: string
  name: string
  ids: JobIds
  /** How often it was begun, this time included. Who takes over counts on, so it also tells whose the job is. */
  attempts: number
}

/** How often a job is tried. */
export const MAX_ATTEMPTS = 5

const seconds = (ms: string) => `make_interval(secs => ${ms}::float8 / 1000)`

// Of each account the oldest, and then any of these: so nobody waits for all that another account has asked for. The walk
// goes from account to account along the index, and what another worker is about to take is passed over.
const TAKE = `with recursive walk as (
    (select account_id from job order by account_id limit 1)
    union all
    select (select j.account_id from job j where j.account_id > w.account_id order by j.account_id limit 1)
    from walk w where w.account_id is not null),
  ripe as (
    select j.id, row_number() over (partition by w.account_id order by j.due_at, j.id) as turn
    from walk w cross join lateral (
      select id, due_at from job j where j.account_id = w.account_id and j.due_at <= now() and j.name = any($1)
      order by j.due_at limit $2 * 3) j
    where w.account_id is not null),
  mine as (
    select j.id from ripe r join job j on j.id = r.id where j.due_at <= now()
    order by r.turn, random() limit $2 for no key update of j skip locked)
  update job j set attempts = j.attempts + 1, due_at = now() + ${seconds('$3')}
  from mine where j.id = mine.id
  returning j.id, j.account_id as "accountId", j.name, j.ids, j.attempts`

/** Takes at most so many due jobs of these names; nobody else may have them for so many milliseconds. */
export async function takeJobs({ pool }: Database, names: readonly string[], limit: number, leaseMs: number) {
  return (await pool.query<TakenJob>(TAKE, [names, limit, leaseMs])).rows
}

const KEEP = `update job set due_at = now() + ${seconds('$3')} where id = $1 and attempts = $2`

/** Keeps others away from a job for another while; false where one has taken over, or the job is gone. */
export async function keepJob({ pool }: Database, { id, attempts }: TakenJob, leaseMs: number): Promise<boolean> {
  return (await pool.query(KEEP, [id, attempts, leaseMs])).rowCount === 1
}

/** Ends a job that is done. */
export async function endJob({ pool }: Database, { id, attempts }: TakenJob): Promise<void> {
  await pool.query('delete from job where id = $1 and attempts = $2', [id, attempts])
}

/** Has a job that failed be tried again after so many milliseconds. */
export async function postponeJob(database: Database, taken: TakenJob, pauseMs: number): Promise<void> {
  await keepJob(database, taken, pauseMs)
}

const GIVE_UP = `with gone as (
    delete from job where id = $1 and attempts = $2 returning id, account_id, name, ids, created_at)
  insert into failed_job (id, account_id, name, ids, attempts, error, created_at)
  select id, account_id, name, ids, $3, $4, created_at from gone`

/** Keeps a job as one that failed for good; the error is its kind alone, since its message may quote what a record holds. */
export async function giveUpJob({ pool }: Database, taken: TakenJob, tried: number, error: string): Promise<void> {
  await pool.query(GIVE_UP, [taken.id, taken.attempts, tried, error])
}
