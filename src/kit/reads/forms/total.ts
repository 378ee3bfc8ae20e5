import { type RawBuilder, sql } from 'kysely'
import { param, type Tally, tableOf } from '../../../database/index.js'
import { anyOf, type Counted, type Recent, recordsWhere } from './page.js'
import { RECENT_ROWS, recentRecords } from './recent.js'

type Conditions = readonly RawBuilder<boolean>[]

/**
 * How many records meet the conditions, and how many of them come after a place:
 *
 *     select count(*)::int as total, …, (count(*) filter (where (r.updated_at, r.id) > ($1, $2)))::int as remaining
 *     from contact as r where …
 */
export function countedTotal(table: string, conditions: Conditions, after: Conditions): RawBuilder<Counted> {
  const remaining = after.length > 0 ? sql`(count(*) filter (where ${anyOf(after)}))::int` : sql`0`
  return sql`select count(*)::int as total, 0 as differences, ${remaining} as remaining ${recordsWhere(table, conditions)}`
}

/**
 * The same from a tally, of which the conditions name only dimensions:
 *
 *     select coalesce(sum(n), 0)::int as total, (count(*) filter (where fresh))::int as differences, 0 as remaining
 *     from opportunity_tally k where k.account_id = $1 and k.stage_id = $2
 */
export function keptTotal(tally: Tally, conditions: Conditions): RawBuilder<Counted> {
  return sql`select coalesce(sum(n), 0)::int as total, (count(*) filter (where fresh))::int as differences,
    0 as remaining from ${sql.table(tableOf(tally))} k where ${sql.join(conditions, sql` and `)}`
}

/** What a list of recent records is counted by. */
export interface RecentList {
  table: string
  /** All conditions, the bounds among them. */
  conditions: Conditions
  recent: Recent
  /** Where the page begins; nothing at the top of the list. */
  after: Conditions
  /** The tally of all records and the conditions of those that are not within the bounds, where there are no others. */
  complement?: { tally: Tally; outside: readonly Conditions[] }
}

/**
 * How many records changed since a moment, and how many of them come after a place. They are counted one by one where
 * they are few. Of the many that whoever begins a copy asks for, those that are not among them are counted:
 *
 *     with recent as materialized (select r.* … and r.updated_at >= $2 order by r.updated_at limit 1001)
 *     select case when (select count(*) from recent) <= 1000 then (select count(*) from recent as r where …)
 *       else (select sum(n) from contact_tally k where …) - (select count(*) … and r.updated_at < $2) end::int as total, …
 */
export function recentTotal({ table, conditions, recent, after, complement }: RecentList): RawBuilder<Counted> {
  const count = (of: string, all: Conditions) => sql`(select count(*) ${recordsWhere(of, all)})`
  const either = (few: RawBuilder<unknown>, many: RawBuilder<unknown>) =>
    sql`(case when (select count(*) from recent) <= ${RECENT_ROWS} then ${few} else ${many} end)::int`
  const total = complement ? withoutOthers(table, complement) : count(table, conditions)
  const left = [...conditions, anyOf(after)]
  const remaining = after.length > 0 ? either(count('recent', left), count(table, left)) : sql`0`
  return sql`with recent as materialized (${recentRecords(table, recent)})
    select ${either(count('recent', conditions), total)} as total, 0 as differences, ${remaining} as remaining`
}

function withoutOthers(table: string, { tally, outside }: NonNullable<RecentList['complement']>): RawBuilder<unknown> {
  const counts = outside.map((conditions) => sql`- (select count(*) ${recordsWhere(table, conditions)})`)
  return sql`(select coalesce(sum(n), 0) from ${sql.table(tableOf(tally))} k where k.account_id = ${param('account')})
    ${sql.join(counts, sql` `)}`
}
