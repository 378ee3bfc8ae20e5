import { type RawBuilder, sql } from 'kysely'
import { param, type Scope, Statement, StatementCache, tableOf } from '../../database/index.js'
import { isUuid } from '../../shared/ids.js'
import { opportunityDayTally, opportunityMonthTally, opportunityOwnerTally } from '../opportunities/index.js'
import type { ReportFilter } from './report.filter.js'
import { cutSpan } from './span.js'

/** How the opportunities of an owner stand. Lost ones are never won, and open is what is neither. */
export interface OwnerOutcomes {
  ownerUserId: string | null
  ownerUserName: string | null
  ownerUserEmail: string | null
  openCount: number
  wonCount: number
  lostCount: number
  openValue: string
  wonValue: string
  lostValue: string
  /** Differences of the tally that had to be added up. */
  fresh: number
}

const IDS = ['pipelineId', 'sectorId', 'ownerUserId'] as const
const CONDITIONS = {
  pipelineId: sql<boolean>`pipeline_id = ${param('pipelineId')}`,
  sectorId: sql<boolean>`sector_id = ${param('sectorId')}`,
  ownerUserId: sql<boolean>`owner_user_id = ${param('ownerUserId')}`,
}

const kept = (tally: Parameters<typeof tableOf>[0], further = sql``) =>
  sql`select owner_user_id, outcome, n, value, fresh from ${sql.table(tableOf(tally))}
    where account_id = ${param('account')} ${further}`
const within = (column: string, name: string, type: string) =>
  sql`${sql.ref(column)} between ${param(`${name}From`)}::${sql.raw(type)} and ${param(`${name}To`)}::${sql.raw(type)}`
const either = (column: string, name: string, type: string) =>
  sql`(${within(column, `${name}0`, type)} or ${within(column, `${name}1`, type)})`

/** The rows that the totals are added up from: whole months and days as kept, and what is left at the ends one by one. */
function sourceOf(conditions: readonly RawBuilder<boolean>[], dated: boolean): RawBuilder<unknown> {
  const and = sql.join(
    conditions.map((condition) => sql`and ${condition}`),
    sql` `,
  )
  if (!dated) return kept(opportunityOwnerTally, and)
  return sql`${kept(opportunityMonthTally, sql`and ${within('month', 'months', 'date')} ${and}`)}
    union all ${kept(opportunityDayTally, sql`and ${either('day', 'days', 'date')} ${and}`)}
    union all select owner_user_id, outcome, 1, value, false from opportunity
      where account_id = ${param('account')} and ${either('created_at', 'edges', 'timestamptz')} ${and}`
}

const sums = (outcome: string) => sql`
  coalesce(sum(n) filter (where outcome = ${sql.lit(outcome)}), 0)::int as ${sql.ref(`${outcome}Count`)},
  coalesce(sum(value) filter (where outcome = ${sql.lit(outcome)}), 0)::text as ${sql.ref(`${outcome}Value`)}`

const statements = new StatementCache<OwnerOutcomes>()

/** Counts and values by outcome for each owner who has opportunities, the unassigned as one, in one statement. */
export async function outcomesByOwner(db: Scope, filter: ReportFilter | null): Promise<OwnerOutcomes[]> {
  const { from, to } = filter ?? {}
  const names = IDS.filter((name) => filter?.[name])
  if (names.some((name) => !isUuid(filter![name]!))) return []
  const dated = Boolean(from ?? to)
  const statement = statements.get(`${names.join()} ${dated}`, () => {
    const source = sourceOf(
      names.map((name) => CONDITIONS[name]),
      dated,
    )
    return new Statement(sql<OwnerOutcomes>`
      select s.*, u.name as "ownerUserName", u.email as "ownerUserEmail" from (
        select owner_user_id as "ownerUserId", ${sql.join(['open', 'won', 'lost'].map(sums))},
          (count(*) filter (where fresh))::int as fresh
        from (${source}) r group by owner_user_id having sum(n) <> 0) s
      left join app_user u on u.account_id = ${param('account')} and u.id = s."ownerUserId"`)
  })
  const rows = await db.rows(statement, { ...filter, ...spanValues(from?.from, to?.to) })
  const fresh = rows.reduce((sum, row) => sum + row.fresh, 0)
  for (const tally of dated ? [opportunityMonthTally, opportunityDayTally] : [opportunityOwnerTally])
    db.readTally(tally, fresh)
  return rows
}

function spanValues(from: string | undefined, to: string | undefined): Record<string, string> {
  if (from === undefined && to === undefined) return {}
  const { months, days, edges } = cutSpan(from ?? null, to ?? null)
  const ranges = { months, days0: days[0], days1: days[1], edges0: edges[0], edges1: edges[1] }
  return Object.fromEntries(
    Object.entries(ranges).flatMap(([name, range]) => [
      [`${name}From`, range.from],
      [`${name}To`, range.to],
    ]),
  )
}
