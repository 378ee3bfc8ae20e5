import type pg from 'pg'
import type { Count, RequestCounter } from './counter.js'

// In the order of names, so that processes that count for the same ones at once do not wait for each other in a circle.
// The clock is the database's, since those of the processes may differ. The length of a window is what who opens it says.
const COUNT = `insert into request_count as c (who, used, until)
  select who, used, now() + ms * interval '1 millisecond'
  from unnest($1::text[], $2::int[], $3::float8[]) as counted(who, used, ms) order by who
  on conflict (who) do update set
    used = case when c.until <= now() then excluded.used else c.used + excluded.used end,
    until = case when c.until <= now() then excluded.until else c.until end
  returning who, used, extract(epoch from until - clock_timestamp())::float8 * 1000 as ms`

const LOOK = `select used, extract(epoch from until - clock_timestamp())::float8 * 1000 as ms
  from request_count where who = $1 and until > now()`

interface Row {
  who: string
  used: number
  ms: number
}

/** One who waits to be counted. */
interface Waiting {
  requests: number
  resolve(count: Count): void
  reject(error: unknown): void
}

/** All who wait to be counted for the same one, in the order in which they came. */
interface Gathered {
  windowMs: number
  waiting: Waiting[]
}

/**
 * Counts in a table that nothing is lost with: it is not logged, and no commit waits for a disk. One statement at a time is
 * under way. What comes meanwhile goes along in the next one together, so that many requests of one key do not queue up for
 * its row, and many keys cost one trip.
 */
export class PostgresCounter implements RequestCounter {
  private gathered = new Map<string, Gathered>()
  private sending = false

  constructor(private readonly pool: pg.Pool) {}

  count(who: string, requests: number, windowMs: number): Promise<Count> {
    const counted = new Promise<Count>((resolve, reject) => {
      const known = this.gathered.get(who)
      const one = { requests, resolve, reject }
      if (known) known.waiting.push(one)
      else this.gathered.set(who, { windowMs, waiting: [one] })
    })
    if (!this.sending) void this.sendAll()
    return counted
  }

  async look(who: string, windowMs: number): Promise<Count> {
    const { rows } = await this.pool.query<Row>(LOOK, [who])
    return rows[0] ? { used: rows[0].used, msLeft: rows[0].ms } : { used: 0, msLeft: windowMs }
  }

  close(): Promise<void> {
    return this.pool.end()
  }

  private async sendAll(): Promise<void> {
    this.sending = true
    await Promise.resolve() // what comes within the same moment goes along already
    while (this.gathered.size > 0) {
      const batch = this.gathered
      this.gathered = new Map()
      await this.send(batch)
    }
    this.sending = false
  }

  private async send(batch: ReadonlyMap<string, Gathered>): Promise<void> {
    const names = [...batch.keys()]
    const groups = [...batch.values()]
    const sums = groups.map(({ waiting }) => waiting.reduce((sum, { requests }) => sum + requests, 0))
    try {
      const lengths = groups.map(({ windowMs }) => windowMs)
      const { rows } = await this.pool.query<Row>(COUNT, [names, sums, lengths])
      for (const { who, used, ms } of rows) settle(batch.get(who)!.waiting, used, ms)
    } catch (error) {
      for (const { waiting } of groups) for (const { reject } of waiting) reject(error)
    }
  }
}

/** Gives each its own number out of those that all of them used together. */
function settle(waiting: readonly Waiting[], used: number, msLeft: number): void {
  let counted = used - waiting.reduce((sum, { requests }) => sum + requests, 0)
  for (const { requests, resolve } of waiting) {
    counted += requests
    resolve({ used: counted, msLeft })
  }
}

/** Removes the counts of windows that are over; returns how many. */
export async function sweepRequestCounts(pool: pg.Pool): Promise<number> {
  const { rowCount } = await pool.query(
    // One that is counted at this moment goes the next time.
    `delete from request_count where ctid = any(array(select ctid from request_count
      where until < now() for update skip locked))`,
  )
  return rowCount ?? 0
}
