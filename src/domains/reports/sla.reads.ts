import { sql } from 'kysely'
import { param, type Scope, ShapedStatement, StatementCache } from '../../database/index.js'
import { isUuid } from '../../shared/ids.js'
import { averageOf } from '../../shared/ratios.js'
import { ofViewer } from './own.reads.js'
import type { ReportFilter } from './report.inputs.js'
import { appliedOf } from './report.types.js'
import type { SellerSla, SlaCounts, SlaReport } from './sla.types.js'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** The times that are measured: between which timestamps, and in units of how many milliseconds. */
const TIMES = {
  avgHoursToFirstOutreach: { from: 'created_at', to: 'sent_at', unit: HOUR },
  avgHoursToAcceptance: { from: 'sent_at', to: 'accepted_at', unit: HOUR },
  avgHoursToQualification: { from: 'qualifying_started_at', to: 'qualified_at', unit: HOUR },
  avgSalesCycleDays: { from: 'created_at', to: 'won_at', unit: DAY },
}
type Time = keyof typeof TIMES
const TIME_NAMES = Object.keys(TIMES) as Time[]

type Averages = Record<Time, number | null>
/** Milliseconds, and of how many opportunities. */
type Sums = Record<Time, string> & Record<`${Time}Of`, number>
type Row = Sums & SlaCounts & Pick<SellerSla, 'ownerUserId' | 'ownerUserName' | 'ownerUserEmail'>

const CONDITIONS = {
  pipelineId: sql`o.pipeline_id = ${param('pipelineId')}`,
  sectorId: sql`o.sector_id = ${param('sectorId')}`,
  ownerUserId: sql`o.owner_user_id = ${param('ownerUserId')}`,
  from: sql`o.created_at >= ${param('from')}`,
  to: sql`o.created_at <= ${param('to')}`,
}
const NAMES = Object.keys(CONDITIONS) as (keyof typeof CONDITIONS)[]

const sums = TIME_NAMES.map((name) => {
  const { from, to } = TIMES[name]
  const time = sql`${sql.ref(`o.${to}`)} - ${sql.ref(`o.${from}`)}`
  return sql`coalesce(sum((date_part('epoch', ${time}) * 1000)::bigint), 0)::text as ${sql.ref(name)},
    count(${time})::int as ${sql.ref(`${name}Of`)}`
})

const statements = new StatementCache<Row>()

/** How long the steps of selling took, over all and by seller, in one statement. */
export async function slaReport(db: Scope, filter: ReportFilter | null): Promise<SlaReport> {
  const applied = appliedOf(ofViewer(db, filter))
  const names = NAMES.filter((name) => applied[name] !== null)
  const impossible = (['pipelineId', 'sectorId', 'ownerUserId'] as const).some((name) => {
    const id = applied[name]
    return id !== null && !isUuid(id)
  })
  const rows = impossible ? [] : await db.rows(statementFor(names), { ...applied })
  const total = (name: keyof SlaCounts) => rows.reduce((sum, row) => sum + row[name], 0)
  const counts = {
    ...{ withOutreach: total('withOutreach'), accepted: total('accepted') },
    ...{ qualified: total('qualified'), won: total('won') },
  }
  return {
    overall: { ...averagesOf(rows), counts },
    bySeller: rows.map(sellerOf).sort(byWins),
    filters: appliedOf(filter),
  }
}

function statementFor(names: (keyof typeof CONDITIONS)[]): ShapedStatement<Row> {
  return statements.get(names.join(), () => {
    const conditions = [sql`o.account_id = ${param('account')}`, ...names.map((name) => CONDITIONS[name])]
    return new ShapedStatement(sql<Row>`select s.*, u.name as "ownerUserName", u.email as "ownerUserEmail" from (
        select o.owner_user_id as "ownerUserId", ${sql.join(sums)}, count(o.sent_at)::int as "withOutreach",
          count(o.accepted_at)::int as accepted, count(o.qualified_at)::int as qualified, count(o.won_at)::int as won
        from opportunity o where ${sql.join(conditions, sql` and `)} group by o.owner_user_id) s
      left join app_user u on u.account_id = ${param('account')} and u.id = s."ownerUserId"`)
  })
}

/** The averages over the opportunities of these rows together. */
function averagesOf(rows: readonly Sums[]): Averages {
  const averages = TIME_NAMES.map((name) => {
    const ms = rows.reduce((sum, row) => sum + BigInt(row[name]), 0n)
    const count = rows.reduce((sum, row) => sum + row[`${name}Of`], 0)
    return [name, averageOf(ms * 100n, count * TIMES[name].unit)]
  })
  return Object.fromEntries(averages)
}

function sellerOf(row: Row): SellerSla {
  const { ownerUserId, ownerUserName, ownerUserEmail, won } = row
  return { ownerUserId, ownerUserName, ownerUserEmail, ...averagesOf([row]), wonCount: won }
}

/** Most wins first; equal ones by id, the unassigned last. */
function byWins(a: SellerSla, b: SellerSla): number {
  if (a.wonCount !== b.wonCount) return b.wonCount - a.wonCount
  if (a.ownerUserId === null || b.ownerUserId === null) return a.ownerUserId === null ? 1 : -1
  return a.ownerUserId < b.ownerUserId ? -1 : 1
}
