import { type RawBuilder, sql } from 'kysely'
import { type Recent, recordsWhere } from './page.js'

const FEW = 1000

/** How many recent records are few enough to be read in any case. */
export const RECENT_ROWS = sql.lit(FEW)

/** So many recent records `r`, and one more, which tells that there are more: `select r.* … order by r.updated_at limit 1001` */
export function recentRecords(table: string, { column, bounds }: Recent): RawBuilder<unknown> {
  return sql`select r.* ${recordsWhere(table, bounds)} order by ${sql.ref(`r.${column}`)} limit ${sql.lit(FEW + 1)}`
}
