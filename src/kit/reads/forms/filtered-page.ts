import { type RawBuilder, sql } from 'kysely'
import { param } from '../../../database/index.js'
import { byKeys, columnByKeys, keysOf, LIMIT, orderBy, output, type PageParts, recordsWhere } from './page.js'

const RECENT_ROWS = 1000

/**
 * A page of few matches: they are found once, counted, and the page cut from them. Contacts of a company, by name:
 *
 *     with matches as materialized (select r.id, r.name_key from contact as r
 *         where r.account_id = $1 and r.folded like …),
 *       page as (select m.* from matches m order by m.name_key asc, m.id asc limit $2 offset $3),
 *       counted as (select count(*)::int as total, 0 as differences from matches)
 *     select …, r.name as name from page join contact as r on r.id = page.id, counted order by …
 */
export function filteredPage(parts: PageParts, later: boolean): RawBuilder<unknown> {
  const { table, order } = parts
  return sql`with ${matches(parts)},
    page as (select m.* from matches m ${orderBy(order, 'm')} ${LIMIT} ${later ? sql`offset ${param('offset')}` : sql``}),
    counted as (select count(*)::int as total, 0 as differences from matches)
    ${output(parts, byKeys(table), columnByKeys(table))}`
}

/** The keys of all that match. What is recent is read once if it is little, and only else looked for by all conditions. */
function matches({ table, conditions, order, recent }: PageParts): RawBuilder<unknown> {
  const every = sql`select ${keysOf(order)} ${recordsWhere(table, conditions)}`
  if (!recent) return sql`matches as materialized (${every})`
  const rows = sql.lit(RECENT_ROWS)
  const found = sql`(select count(*) from recent)`
  return sql`recent as materialized (select r.* ${recordsWhere(table, recent.bounds)}
      order by ${sql.ref(`r.${recent.column}`)} limit ${sql.lit(RECENT_ROWS + 1)}),
    matches as materialized (
      select ${keysOf(order)} ${recordsWhere('recent', conditions)} and ${found} <= ${rows}
      union all ${every} and ${found} > ${rows})`
}
