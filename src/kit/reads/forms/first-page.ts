import { type RawBuilder, sql } from 'kysely'
import { MAX_LIMIT } from '../../../shared/paging.js'
import { LIMIT, orderBy, output, type PageParts, recordsWhere } from './page.js'

// A plan for all values takes a limit for a tenth of what it limits. Of an account that is so much that PostgreSQL would
// rather plan each read anew, for as long as the read takes; of the most that a page can have it is little, and the
// order of an index the cheapest way to it, however many rows an account mostly has.
const MOST = sql`limit ${sql.lit(MAX_LIMIT)}`

/**
 * The first page of a list, read off an index as it stands. Contacts, newest first, with their names:
 *
 *     with page as (select * from (select r.* from contact as r where r.account_id = $1
 *         order by r.created_at desc, r.id desc limit 100) w limit $2),
 *       counted as (select coalesce(sum(n), 0)::int as total, … from contact_tally k where k.account_id = $3)
 *     select case when r.id = (select first.id from page first order by … limit 1) then (counted.total) end as total, …,
 *       r.id as id, r.name as name
 *     from page as r, counted order by r.created_at desc, r.id desc
 */
export function firstPage(parts: PageParts): RawBuilder<unknown> {
  const { table, conditions, order, total } = parts
  return sql`with page as (select * from
      (select r.* ${recordsWhere(table, conditions)} ${orderBy(order, 'r')} ${MOST}) w ${LIMIT}),
    counted as (${total})
    ${output(parts, sql`page as r`, (column) => sql`select ${sql.ref(`page.${column}`)} from page`)}`
}
