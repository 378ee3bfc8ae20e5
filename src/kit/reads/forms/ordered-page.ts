import { type RawBuilder, sql } from 'kysely'
import { MAX_LIMIT } from '../../../shared/paging.js'
import { aside, LIMIT, orderBy, output, type PageParts, recordsWhere } from './page.js'

// A plan for all values takes a limit for a tenth of what it limits. Of an account that is so much that PostgreSQL would
// rather plan each read anew, for as long as the read takes; of the most that a page can have it is little, and the
// order of an index the cheapest way to it, however many rows an account mostly has. Whoever follows a cursor reads one
// more, to see whether there are more.
const MOST = sql`limit ${sql.lit(MAX_LIMIT + 1)}`

/**
 * A page that begins at the top of a list or after a place in it, read off an index as it stands. The first contacts,
 * newest first, with their names:
 *
 *     with page as (select * from (select r.* from contact as r where r.account_id = $1
 *         order by r.created_at desc, r.id desc limit 101) w limit $2),
 *       counted as (select coalesce(sum(n), 0)::int as total, … from contact_tally k where k.account_id = $3)
 *     select case when r.id = (select first.id from page first order by … limit 1) then (counted.total) end as total, …,
 *       r.id as id, r.name as name
 *     from page as r, counted order by r.created_at desc, r.id desc
 *
 * After a place, `where r.account_id = $1 and (r.created_at, r.id) < ($2, $3)`, and nothing is counted. Of a column that
 * can be empty, what comes after a value are two ranges: further values, and the records without one.
 */
export function orderedPage(parts: PageParts): RawBuilder<unknown> {
  const { table, conditions, order, after } = parts
  const range = (within: readonly RawBuilder<boolean>[]) =>
    sql`(select r.* ${recordsWhere(table, [...conditions, ...within])} ${orderBy(order, 'r')} ${MOST})`
  const ranges = after.length > 1 ? after.map((each) => range([each])) : [range(after)]
  const rows = ranges.length > 1 ? sql`(${sql.join(ranges, sql` union all `)})` : ranges[0]!
  const again = ranges.length > 1 ? orderBy(order, 'w') : sql``
  return sql`with page as (select * from ${rows} w ${again} ${LIMIT}) ${aside(parts)}
    ${output(parts, sql`page as r`, (column) => sql`select ${sql.ref(`page.${column}`)} from page`)}`
}
