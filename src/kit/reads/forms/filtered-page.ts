import { type RawBuilder, sql } from 'kysely'
import { param } from '../../../database/index.js'
import {
  anyOf,
  aside,
  byKeys,
  columnByKeys,
  keysOf,
  LIMIT,
  orderBy,
  output,
  type PageParts,
  recordsWhere,
} from './page.js'
import { RECENT_ROWS, recentRecords } from './recent.js'

/**
 * A page of few matches: they are found once, counted, and the page cut from them. Contacts of a company, by name:
 *
 *     with matches as materialized (select r.id, r.name_key from contact as r
 *         where r.account_id = $1 and r.folded like …),
 *       page as (select m.* from matches m order by m.name_key asc, m.id asc limit $2 offset $3),
 *       counted as (select count(*)::int as total, 0 as differences, 0 as remaining from matches)
 *     select …, r.name as name from page join contact as r on r.id = page.id, counted order by …
 *
 * A page that follows a cursor finds only the matches after it, and counts none.
 */
export function filteredPage(parts: PageParts, later: boolean): RawBuilder<unknown> {
  const { table, order } = parts
  return sql`with ${matches(parts)},
    page as (select m.* from matches m ${orderBy(order, 'm')} ${LIMIT} ${later ? sql`offset ${param('offset')}` : sql``})
    ${aside({ ...parts, total: parts.total && COUNT })}
    ${output(parts, byKeys(table), columnByKeys(table))}`
}

const COUNT = sql<never>`select count(*)::int as total, 0 as differences, 0 as remaining from matches`

/** The keys of all that match. What is recent is read once if it is little, and only else looked for by all conditions. */
function matches({ table, conditions, order, recent, after }: PageParts): RawBuilder<unknown> {
  const all = after.length > 0 ? [...conditions, anyOf(after)] : conditions
  const every = sql`select ${keysOf(order)} ${recordsWhere(table, all)}`
  if (!recent) return sql`matches as materialized (${every})`
  const found = sql`(select count(*) from recent)`
  return sql`recent as materialized (${recentRecords(table, recent)}),
    matches as materialized (
      select ${keysOf(order)} ${recordsWhere('recent', all)} and ${found} <= ${RECENT_ROWS}
      union all ${every} and ${found} > ${RECENT_ROWS})`
}
