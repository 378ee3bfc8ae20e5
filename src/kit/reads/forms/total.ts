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
export function countedTotal(
  table: string | RawBuilder<unknown>,
  conditions: Conditions,
  after: Conditions,
): RawBuilder<Counted> {
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
}

/**
 * How many records changed since a moment and meet further conditions, and how many of them come after a place: of the
 * recent ones where those are few, else of all.
 *
 *     with recent as materialized (select r.* … and r.updated_at >= $2 order by r.updated_at limit 1001)
 *     select case when (select count(*) from recent) <= 1000 then (select count(*) from recent as r where …)
 *       else (select count(*) from contact as r where …) end::int as total, …
 */
export function recentTotal({ table, conditions, recent, after }: RecentList): RawBuilder<Counted> {
  const either = (all: Conditions) =>
    sql`(case when (select count(*) from recent) <= ${RECENT_ROWS} then (select count(*) ${recordsWhere('recent', all)})
      else (select count(*) ${recordsWhere(table, all)}) end)::int`
  const remaining = after.length > 0 ? either([...conditions, anyOf(after)]) : sql`0`
  return sql`with recent as materialized (${recentRecords(table, recent)})
    select ${either(conditions)} as total, 0 as differences, ${remaining} as remaining`
}

/** Records that a list leaves out: a record of theirs to be looked for at an end of the index, and all their conditions. */
export interface Outside {
  /** The order in which the first record of these conditions stands at the end where they would be. */
  atEnd: { conditions: Conditions; descending: boolean }
  isOutside: (value: RawBuilder<unknown>) => RawBuilder<boolean>
  conditions: Conditions
}

/** A list of all that changed since a moment, and what it leaves out of all records, of which a tally keeps the number. */
export interface RecentRange extends RecentList {
  tally: Tally
  outside: readonly Outside[]
}

/**
 * How many records changed since a moment, and how many of them come after a place. Few of them are counted off the index
 * of the column; of the many that whoever begins a copy asks for, those are counted that are not among them, if there are any:
 *
 *     with few as materialized (select count(*) as n from (select r.updated_at … limit 1001) x)
 *     select case when n <= 1000 then n
 *       else (select sum(n) from contact_tally k where …) - case when (select r.updated_at … order by r.updated_at limit 1)
 *         < $2 then (select count(*) … and r.updated_at < $2) else 0 end end::int as total, …
 *
 * One plan serves all values: whether there are any is seen at an end of the index.
 */
export function rangeTotal({ table, conditions, recent, after, tally, outside }: RecentRange): RawBuilder<Counted> {
  const column = sql.ref(`r.${recent.column}`)
  const few = (all: Conditions) =>
    sql`(select ${column} ${recordsWhere(table, all)} order by ${column} limit ${RECENT_ROWS} + 1)`
  const left = [...conditions, anyOf(after)]
  const remaining = sql`(case when n <= ${RECENT_ROWS} then (select count(*) from ${few(left)} x)
    else (select count(*) ${recordsWhere(table, left)}) end)::int`
  const others = outside.map(({ atEnd, isOutside, conditions: all }) => {
    const end = sql`(select ${column} ${recordsWhere(table, atEnd.conditions)}
      order by ${column} ${sql.raw(atEnd.descending ? 'desc' : 'asc')} limit 1)`
    return sql`- case when ${isOutside(end)} then (select count(*) ${recordsWhere(table, all)}) else 0 end`
  })
  return sql`with few as materialized (select count(*) as n from ${few(conditions)} x)
    select (case when n <= ${RECENT_ROWS} then n else (select coalesce(sum(k.n), 0)
      from ${sql.table(tableOf(tally))} k where k.account_id = ${param('account')}) ${sql.join(others, sql` `)} end)::int as total,
      0 as differences, ${after.length > 0 ? remaining : sql`0`} as remaining from few`
}
