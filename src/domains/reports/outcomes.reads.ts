import { type RawBuilder, sql } from 'kysely'
import { param, type Scope, ShapedStatement, StatementCache, type Tally, tableOf } from '../../database/index.js'
import { isUuid } from '../../shared/ids.js'
import { opportunityDayTally, opportunityMonthTally, opportunityOwnerTally } from '../opportunities/index.js'
import { ofViewer } from './own.reads.js'
import type { ReportFilter } from './report.inputs.js'
import { cutSpan, type Grain } from './span.reads.js'

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

/** What the rows of a part of a span are read from. */
const SOURCES: Record<Grain, { column: string; type: string; tally?: Tally }> = {
  month: { column: 'month', type: 'date', tally: opportunityMonthTally },
  day: { column: 'day', type: 'date', tally: opportunityDayTally },
  instant: { column: 'created_at', type: 'timestamptz' },
}

function rowsOf(tally: Tally | undefined, further: RawBuilder<unknown>): RawBuilder<unknown> {
  const mine = sql`account_id = ${param('account')} ${further}`
  if (!tally)
    return sql`select owner_user_id, outcome, 1::bigint as n, value, false as fresh from opportunity where ${mine}`
  return sql`select owner_user_id, outcome, n, value, fresh from ${sql.table(tableOf(tally))} where ${mine}`
}

/**
 * The rows that the totals are added up from: whole months and days as kept, and what is left at the ends one by one.
 * Each part is read for itself, since no index alone answers a choice of ranges.
 */
function sourceOf(conditions: readonly RawBuilder<boolean>[], grains: readonly Grain[] | null): RawBuilder<unknown> {
  const and = sql.join(
    conditions.map((condition) => sql`and ${condition}`),
    sql` `,
  )
  if (!grains) return rowsOf(opportunityOwnerTally, and)
  const parts = grains.map((grain, i) => {
    const { column, type, tally } = SOURCES[grain]
    const end = (name: string) => sql`${param(`${name}${i}`)}::${sql.raw(type)}`
    return rowsOf(tally, sql`and ${sql.ref(column)} between ${end('from')} and ${end('to')} ${and}`)
  })
  return sql.join(parts, sql` union all `)
}

const sums = (outcome: string) => sql`
  coalesce(sum(n) filter (where outcome = ${sql.lit(outcome)}), 0)::int as ${sql.ref(`${outcome}Count`)},
  coalesce(sum(value) filter (where outcome = ${sql.lit(outcome)}), 0)::text as ${sql.ref(`${outcome}Value`)}`

const statements = new StatementCache<OwnerOutcomes>()

function statementFor(names: (typeof IDS)[number][], grains: readonly Grain[] | null): ShapedStatement<OwnerOutcomes> {
  return statements.get(`${names.join()} ${grains?.join()}`, () => {
    const source = sourceOf(
      names.map((name) => CONDITIONS[name]),
      grains,
    )
    return new ShapedStatement(sql<OwnerOutcomes>`
      select s.*, u.name as "ownerUserName", u.email as "ownerUserEmail" from (
        select owner_user_id as "ownerUserId", ${sql.join(['open', 'won', 'lost'].map(sums))},
          (count(*) filter (where fresh))::int as fresh
        from (${source}) r group by owner_user_id) s
      left join app_user u on u.account_id = ${param('account')} and u.id = s."ownerUserId"`)
  })
}

/** Counts and values by outcome for each owner who has opportunities, the unassigned as one, in one statement. */
export async function outcomesByOwner(db: Scope, asked: ReportFilter | null): Promise<OwnerOutcomes[]> {
  const filter = ofViewer(db, asked)
  const { from, to } = filter ?? {}
  const names = IDS.filter((name) => (filter?.[name] ?? null) !== null)
  if (names.some((name) => !isUuid(filter![name]!))) return []
  const parts = from || to ? cutSpan(from?.from ?? null, to?.to ?? null) : null
  if (parts?.length === 0) return []
  const ends = parts?.flatMap((part, i) => [[`from${i}`, part.from] as const, [`to${i}`, part.to] as const]) ?? []
  const grains = parts?.map(({ grain }) => grain) ?? null
  const rows = await db.rows(statementFor(names, grains), { ...filter, ...Object.fromEntries(ends) })
  const fresh = rows.reduce((sum, row) => sum + row.fresh, 0)
  for (const tally of talliesOf(grains)) db.readTally(tally, fresh)
  // Of an owner who has none any more there may be differences that cancel each other out.
  return rows.filter(({ openCount, wonCount, lostCount }) => openCount + wonCount + lostCount > 0)
}

const talliesOf = (grains: readonly Grain[] | null): Tally[] =>
  grains ? [...new Set(grains)].flatMap((grain) => SOURCES[grain].tally ?? []) : [opportunityOwnerTally]
