import { type RawBuilder, sql } from 'kysely'
import { type Tally, tableOf } from '../../../database/index.js'
import { type Counted, recordsWhere } from './page.js'

/** How many records meet the conditions: `select count(*)::int as total, 0 as differences from contact as r where …` */
export function countedTotal(table: string, conditions: readonly RawBuilder<boolean>[]): RawBuilder<Counted> {
  return sql`select count(*)::int as total, 0 as differences ${recordsWhere(table, conditions)}`
}

/**
 * The same from a tally, of which the conditions name only dimensions:
 *
 *     select coalesce(sum(n), 0)::int as total, (count(*) filter (where fresh))::int as differences
 *     from opportunity_tally k where k.account_id = $1 and k.stage_id = $2
 */
export function keptTotal(tally: Tally, conditions: readonly RawBuilder<boolean>[]): RawBuilder<Counted> {
  return sql`select coalesce(sum(n), 0)::int as total, (count(*) filter (where fresh))::int as differences
    from ${sql.table(tableOf(tally))} k where ${sql.join(conditions, sql` and `)}`
}
