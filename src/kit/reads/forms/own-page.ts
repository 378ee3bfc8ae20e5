import { sql } from 'kysely'
import { param } from '../../../database/index.js'
import { MAX_LIMIT } from '../../../shared/paging.js'
import type { OwnList } from '../own.js'
import { aside, byKeys, columnByKeys, keysOf, LIMIT, orderBy, output, type PageParts, recordsWhere } from './page.js'

/**
 * A page of what is a seller's own, read off a table that has the keys of it in this order: as few rows are looked at as
 * the page has, and they are counted off the same index. A seller's contacts, newest first:
 *
 *     with page as (select * from (select r.id, r.created_at from (select s.contact_id as id, … from contact_seller s) as r
 *         where r.account_id = $1 and r.user_id = $2 order by r.created_at desc, r.id desc limit 101) w limit $3),
 *       counted as (select count(*)::int as total, … from (select … from contact_seller s) as r where …)
 *     select …, r.name as name from page join contact as r on r.id = page.id, counted order by …
 */
export function ownPage(parts: PageParts, { source }: OwnList, later: boolean) {
  const { table, conditions, order, after } = parts
  const keys = sql`select ${keysOf(order)} ${recordsWhere(source, [...conditions, ...after])}`
  // See `orderedPage` for the first limit.
  const page = later
    ? sql`select m.* from (${keys}) m ${orderBy(order, 'm')} ${LIMIT} offset ${param('offset')}`
    : sql`select * from (${keys} ${orderBy(order, 'r')} limit ${sql.lit(MAX_LIMIT + 1)}) w ${LIMIT}`
  return sql`with page as (${page}) ${aside(parts)} ${output(parts, byKeys(table), columnByKeys(table))}`
}
