import type { Database } from '../../database/index.js'
import type { Queue } from '../../kit/queue.js'
import type { Compared } from './compare.service.js'

const NOTE = `insert into billing_comparison as b (days, differences, troubled, compared_at, since)
  values ($1, $2, $3, now(), case when $2::int + $3::int > 0 then now() end)
  on conflict (days) do update set differences = excluded.differences, troubled = excluded.troubled,
    compared_at = excluded.compared_at, since = case when excluded.since is not null then coalesce(b.since, excluded.since) end`

/** Notes what is left after all agencies were compared over so many days, for the figures of whichever process is asked. */
export async function noteComparison({ pool }: Database, days: number, compared: readonly Compared[]): Promise<void> {
  const left = compared.flatMap(({ differences }) => differences).filter(({ mended }) => !mended)
  const troubled = compared.filter(({ trouble, busy }) => trouble && !busy)
  await pool.query(NOTE, [days, left.length, troubled.length])
}

/** What waits for people. A longer time has what a shorter one has, so the most of them is told, and not their sum. */
export const DIFFERENCES: Queue = {
  name: 'billing_differences',
  look: `select state, max(n)::int as count, coalesce(extract(epoch from now() - min(since)), 0)::float8 as age
    from billing_comparison cross join lateral (values ('differs', differences), ('not_compared', troubled)) t (state, n)
    group by state`,
}
