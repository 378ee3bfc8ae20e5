import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'

/** Has whatever stores something of the account wait, as a slow database would; returns how to let it go on. */
export async function hold(accountId: string, databaseUrl: string): Promise<() => Promise<void>> {
  const holder = new pg.Client({ connectionString: databaseUrl })
  await holder.connect()
  await holder.query('begin')
  await holder.query('select from account where id = $1 for update', [accountId])
  return async () => {
    await holder.query('rollback')
    await holder.end()
  }
}

/** Waits until the creation of a contact waits for a lock, or until none does. */
export async function untilHeld({ pool }: { pool: pg.Pool }, isHeld = true): Promise<void> {
  const held = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
    and query like '%insert into contact (%'`
  while (Boolean((await pool.query(held)).rowCount) !== isHeld) await delay(5)
}

// Also who waits for somebody that waits.
const BEHIND = `with recursive waiting(pid) as (select $1::int
    union select a.pid from pg_stat_activity a join waiting w on w.pid = any(pg_blocking_pids(a.pid)))
  select pid from waiting where pid <> $1`

/** The backends that stand behind the locks of a connection. */
export async function behind({ pool }: { pool: Pick<pg.Pool, 'query'> }, holder: pg.ClientBase): Promise<number[]> {
  const { rows: held } = await holder.query<{ pid: number }>('select pg_backend_pid() as pid')
  return (await pool.query<{ pid: number }>(BEHIND, [held[0]!.pid])).rows.map(({ pid }) => pid)
}

/** Waits until so many stand behind the locks of a connection. */
export async function untilBehind(database: { pool: pg.Pool }, holder: pg.ClientBase, count = 1): Promise<void> {
  while ((await behind(database, holder)).length < count) await delay(5)
}
