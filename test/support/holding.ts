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
