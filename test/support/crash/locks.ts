import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'

const PATIENCE_MS = 120_000
const LOOK_MS = 100
const TRANSACTION = "pid || ' ' || xact_start"

/** Looks until something holds; throws with what it is that did not come to hold. */
export async function until(what: string, holds: () => Promise<boolean> | boolean): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; !(await holds()); await delay(LOOK_MS)) {
    if (Date.now() > deadline) throw new Error(`it did not come to this: ${what}`)
  }
}

/**
 * Has whoever gives a turn back wait for who guards it: nothing but that comes after a commit, and a lock of the row could
 * be missed, since who comes first after a commit need not be who waited.
 */
export const GUARD = `
create function test_guard() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(new.agency_id::text, 0));
  return new;
end $$;
create trigger test_guard before update on billing_standing for each row
  when (old.turn_holder is not null and new.turn_holder is null) execute function test_guard()`

/** A connection of a test that holds rows, so that a process which needs one of them stops there. */
export class Lock {
  /** The transactions that were seen waiting, by session and begin. */
  private readonly caught = new Set<string>()

  private constructor(
    private readonly client: pg.Client,
    private readonly pid: number,
  ) {}

  static async open(url: string): Promise<Lock> {
    const client = new pg.Client({ connectionString: url, application_name: 'test lock' })
    await client.connect()
    await client.query('begin')
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    return new Lock(client, rows[0]!.pid)
  }

  /** Takes the rows of a table that fit; waits for whoever has them. */
  async take(table: string, column: string, value: string): Promise<void> {
    // Not so that jobs wait which only refer to the rows.
    const rows = `select 1 from ${table} where ${column} = $1 for no key update`
    const { rowCount } = await this.client.query(rows, [value])
    if (rowCount === 0) throw new Error(`there is no ${table} with ${column} ${value}`)
  }

  /** Whether somebody waits for what it holds. */
  async stops(database: pg.Pool): Promise<boolean> {
    const waiting = `select ${TRANSACTION} as id from pg_stat_activity where $1 = any(pg_blocking_pids(pid))`
    const { rows } = await database.query<{ id: string }>(waiting, [this.pid])
    for (const { id } of rows) this.caught.add(id)
    return rows.length > 0
  }

  /** Keeps an agency's turn from being given back, in a database with GUARD. */
  async guard(agencyId: string): Promise<void> {
    await this.client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [agencyId])
  }

  /**
   * Lets go; with `gone`, once those whom it stopped have been killed, waits until PostgreSQL has noticed that. A job of a
   * process that lives may have been stopped with them: its transaction just goes on.
   */
  async release(gone?: pg.Pool): Promise<void> {
    if (gone) await this.stops(gone)
    await this.client.end()
    if (!gone) return
    const left = `select count(*)::int as n from pg_stat_activity where ${TRANSACTION} = any($1)`
    const count = async () => (await gone.query<{ n: number }>(left, [[...this.caught]])).rows[0]!.n
    await until('the transactions of the dead process end', async () => (await count()) === 0)
  }
}
