import { type RawBuilder, sql } from 'kysely'
import { param } from '../../../database/index.js'
import { aside, byKeys, columnByKeys, keysOf, LIMIT, orderBy, output, type PageParts, recordsWhere } from './page.js'

/**
 * A later page by its number: the ids come first and the records are joined to them, so that what is skipped is never
 * read. The second page of contacts:
 *
 *     with page as (select m.* from (select r.id, r.created_at from contact as r where r.account_id = $1) m
 *         order by m.created_at desc, m.id desc limit $2 offset $3),
 *       counted as (…)
 *     select …, r.name as name from page join contact as r on r.id = page.id, counted
 *     order by r.created_at desc, r.id desc
 */
export function laterPage(parts: PageParts): RawBuilder<unknown> {
  const { table, conditions, order } = parts
  return sql`with page as (select m.* from (select ${keysOf(order)} ${recordsWhere(table, conditions)}) m
      ${orderBy(order, 'm')} ${LIMIT} offset ${param('offset')}) ${aside(parts)}
    ${output(parts, byKeys(table), columnByKeys(table))}`
}
