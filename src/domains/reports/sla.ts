import { sql } from 'kysely'
import { param, type Scope, Statement, StatementCache } from '../../database/index.js'
import { isUuid } from '../../shared/ids.js'
import { appliedOf, type ReportFilter } from './report.filter.js'
import type { SellerSla, SlaCounts, SlaReport } from './sla.types.js'

type Averages = Pick<
  SellerSla,
  'avgHoursToFirstOutreach' | 'avgHoursToAcceptance' | 'avgHoursToQualification' | 'avgSalesCycleDays'
>
type Row = Averages &
  SlaCounts &
  Pick<SellerSla, 'ownerUserId' | 'ownerUserName' | 'ownerUserEmail'> & { isOverall: boolean }

const CONDITIONS = {
  pipelineId: sql`o.pipeline_id = ${param('pipelineId')}`,
  sectorId: sql`o.sector_id = ${param('sectorId')}`,
  ownerUserId: sql`o.owner_user_id = ${param('ownerUserId')}`,
  from: sql`o.created_at >= ${param('from')}`,
  to: sql`o.created_at <= ${param('to')}`,
}
const NAMES = Object.keys(CONDITIONS) as (keyof typeof CONDITIONS)[]
const HOUR = 3_600_000
const DAY = 24 * HOUR

/** An average in units of so many milliseconds: their sum is exact, and only the result is rounded. */
const average = (from: string, to: string, unit: number, name: string) => sql`round(
    sum((date_part('epoch', ${sql.ref(`o.${to}`)} - ${sql.ref(`o.${from}`)}) * 1000)::bigint)
      / nullif(count(${sql.ref(`o.${to}`)} - ${sql.ref(`o.${from}`)}), 0) / ${sql.lit(unit)}, 2)::float8
  as ${sql.ref(name)}`

const measures = sql.join([
  average('created_at', 'sent_at', HOUR, 'avgHoursToFirstOutreach'),
  average('sent_at', 'accepted_at', HOUR, 'avgHoursToAcceptance'),
  average('qualifying_started_at', 'qualified_at', HOUR, 'avgHoursToQualification'),
  average('created_at', 'won_at', DAY, 'avgSalesCycleDays'),
  sql`count(o.sent_at)::int as "withOutreach", count(o.accepted_at)::int as accepted,
    count(o.qualified_at)::int as qualified, count(o.won_at)::int as won`,
])

const statements = new StatementCache<Row>()

/** How long the steps of selling took, over all and by seller, in one statement. */
export async function slaReport(db: Scope, filter: ReportFilter | null): Promise<SlaReport> {
  const applied = appliedOf(filter)
  const names = NAMES.filter((name) => applied[name] !== null)
  const impossible = (['pipelineId', 'sectorId', 'ownerUserId'] as const).some((name) => {
    const id = applied[name]
    return id !== null && !isUuid(id)
  })
  const rows = impossible ? [] : await db.rows(statementFor(names), { ...applied })
  const [{ withOutreach, accepted, qualified, won, ...overall } = NOTHING] = rows.filter((row) => row.isOverall)
  return {
    overall: { ...averagesOf(overall), counts: { withOutreach, accepted, qualified, won } },
    bySeller: rows
      .filter((row) => !row.isOverall)
      .map(sellerOf)
      .sort(byWins),
    filters: applied,
  }
}

function statementFor(names: (keyof typeof CONDITIONS)[]): Statement<Row> {
  return statements.get(names.join(), () => {
    const conditions = [sql`o.account_id = ${param('account')}`, ...names.map((name) => CONDITIONS[name])]
    return new Statement(sql<Row>`select s.*, u.name as "ownerUserName", u.email as "ownerUserEmail" from (
        select o.owner_user_id as "ownerUserId", grouping(o.owner_user_id) = 1 as "isOverall", ${measures}
        from opportunity o where ${sql.join(conditions, sql` and `)}
        group by grouping sets ((), (o.owner_user_id))) s
      left join app_user u on u.account_id = ${param('account')} and u.id = s."ownerUserId"`)
  })
}

const NOTHING = {
  avgHoursToFirstOutreach: null,
  avgHoursToAcceptance: null,
  avgHoursToQualification: null,
  avgSalesCycleDays: null,
  withOutreach: 0,
  accepted: 0,
  qualified: 0,
  won: 0,
}

function averagesOf(row: Averages): Averages {
  const { avgHoursToFirstOutreach, avgHoursToAcceptance, avgHoursToQualification, avgSalesCycleDays } = row
  return { avgHoursToFirstOutreach, avgHoursToAcceptance, avgHoursToQualification, avgSalesCycleDays }
}

function sellerOf(row: Row): SellerSla {
  const { ownerUserId, ownerUserName, ownerUserEmail, won } = row
  return { ownerUserId, ownerUserName, ownerUserEmail, ...averagesOf(row), wonCount: won }
}

/** Most wins first; equal ones by id, the unassigned last. */
function byWins(a: SellerSla, b: SellerSla): number {
  if (a.wonCount !== b.wonCount) return b.wonCount - a.wonCount
  if (a.ownerUserId === null || b.ownerUserId === null) return a.ownerUserId === null ? 1 : -1
  return a.ownerUserId < b.ownerUserId ? -1 : 1
}
