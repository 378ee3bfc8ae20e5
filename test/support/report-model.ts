/** An opportunity as GET /opportunities shows it. */
export interface Shown {
  id: string
  value: number
  pipeline_id: string
  stage_id: string
  owner_user_id: string | null
  owner_user_name: string | null
  owner_user_email: string | null
  sector_id: string | null
  created_at: string
  sent_at: string | null
  accepted_at: string | null
  qualifying_started_at: string | null
  qualified_at: string | null
  won_at: string | null
  lost_at: string | null
  discarded_at: string | null
}

/** A pipeline as GET /pipelines shows it. */
export interface ShownPipeline {
  id: string
  name: string
  stages: { id: string; name: string; position: number; is_win_stage: boolean; is_loss_stage: boolean }[]
}

/** The filters of a report as a caller writes them; `from` and `to` are dates or instants in UTC. */
export interface Filters {
  pipeline_id?: string
  sector_id?: string
  owner_user_id?: string
  from?: string
  to?: string
}

const HOUR = 3_600_000n
const DAY = 24n * HOUR

const instant = (text: string, clock: string) => (text.length === 10 ? `${text}T${clock}Z` : text)

function applied({
  pipeline_id = null,
  sector_id = null,
  owner_user_id = null,
  from,
  to,
}: Record<string, string | null>) {
  return {
    ...{ pipeline_id, sector_id, owner_user_id },
    from: from ? instant(from, '00:00:00.000') : null,
    to: to ? instant(to, '23:59:59.999') : null,
  }
}

function matching(all: readonly Shown[], filters: Filters): Shown[] {
  const { pipeline_id, sector_id, owner_user_id, from, to } = applied(filters as Record<string, string>)
  // Instants in the same spelling stand in the order of their texts.
  return all.filter(
    (one) =>
      (pipeline_id === null || one.pipeline_id === pipeline_id) &&
      (sector_id === null || one.sector_id === sector_id) &&
      (owner_user_id === null || one.owner_user_id === owner_user_id) &&
      (from === null || one.created_at >= from) &&
      (to === null || one.created_at <= to),
  )
}

type Outcome = 'open' | 'won' | 'lost'

const outcomeOf = ({ won_at, lost_at, discarded_at }: Shown): Outcome =>
  lost_at || discarded_at ? 'lost' : won_at ? 'won' : 'open'

const cents = ({ value }: Shown) => BigInt(Math.round(value * 100))
const sumOf = (list: readonly Shown[]) => list.reduce((sum, one) => sum + cents(one), 0n)
const money = (amount: bigint) => Number(amount) / 100

/** A fraction with two decimals, half away from zero; null of nothing. */
function rounded(numerator: bigint, denominator: bigint): number | null {
  if (denominator === 0n) return null
  const [size, sign] = numerator < 0n ? [-numerator, -1] : [numerator, 1]
  const down = (size * 100n) / denominator
  const up = (size * 100n - down * denominator) * 2n >= denominator ? 1n : 0n
  return (sign * Number(down + up)) / 100 + 0 // no negative zero
}

const percent = (part: number, whole: number) => rounded(BigInt(part) * 100n, BigInt(whole))

/** The groups by owner, in the order of their ids, the unassigned last. */
function byOwner(list: readonly Shown[]): Shown[][] {
  const groups = [...Map.groupBy(list, (one) => one.owner_user_id ?? '~').entries()]
  return groups.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group)
}

const sellerOf = (group: Shown[]) => {
  const { owner_user_id, owner_user_name, owner_user_email } = group[0]!
  return { owner_user_id, owner_user_name, owner_user_email }
}

export function funnelOf(all: readonly Shown[], pipelines: readonly ShownPipeline[], filters: Filters): unknown {
  const counted = matching(all, { sector_id: filters.sector_id })
  return pipelines
    .filter(({ id }) => filters.pipeline_id === undefined || id === filters.pipeline_id)
    .map(({ id, name, stages }) => {
      const inStage = (stage: string) => counted.filter((one) => one.stage_id === stage && outcomeOf(one) !== 'lost')
      return {
        pipeline_id: id,
        pipeline_name: name,
        lost_count: counted.filter((one) => one.pipeline_id === id && outcomeOf(one) === 'lost').length,
        stages: stages.map((stage, i) => ({
          ...{ stage_id: stage.id, stage_name: stage.name, position: stage.position },
          ...{ is_won_stage: stage.is_win_stage, is_loss_stage: stage.is_loss_stage },
          count: inStage(stage.id).length,
          value: money(sumOf(inStage(stage.id))),
          conversion_from_previous:
            i === 0 ? null : percent(inStage(stage.id).length, inStage(stages[i - 1]!.id).length),
        })),
      }
    })
}

/** The average of the times between two timestamps, over those that have both. */
function average(list: readonly Shown[], from: keyof Shown, to: keyof Shown, unit: bigint): number | null {
  const both = list.filter((one) => one[from] && one[to])
  const ms = both.reduce((sum, one) => sum + Date.parse(one[to] as string) - Date.parse(one[from] as string), 0)
  return rounded(BigInt(ms), BigInt(both.length) * unit)
}

const averagesOf = (list: readonly Shown[]) => ({
  avg_hours_to_first_outreach: average(list, 'created_at', 'sent_at', HOUR),
  avg_hours_to_acceptance: average(list, 'sent_at', 'accepted_at', HOUR),
  avg_hours_to_qualification: average(list, 'qualifying_started_at', 'qualified_at', HOUR),
  avg_sales_cycle_days: average(list, 'created_at', 'won_at', DAY),
})

export function slaOf(all: readonly Shown[], filters: Filters): unknown {
  const list = matching(all, filters)
  const having = (name: keyof Shown, of = list) => of.filter((one) => one[name]).length
  return {
    overall: {
      ...averagesOf(list),
      counts: {
        ...{ with_outreach: having('sent_at'), accepted: having('accepted_at') },
        ...{ qualified: having('qualified_at'), won: having('won_at') },
      },
    },
    by_seller: byOwner(list)
      .map((group) => ({ ...sellerOf(group), ...averagesOf(group), won_count: having('won_at', group) }))
      .sort((a, b) => b.won_count - a.won_count),
    filters: applied(filters as Record<string, string>),
  }
}

export function summaryOf(all: readonly Shown[], filters: Filters): unknown {
  const list = matching(all, filters)
  const of = (outcome: Outcome) => list.filter((one) => outcomeOf(one) === outcome)
  const told = (outcome: Outcome) => ({ count: of(outcome).length, value: money(sumOf(of(outcome))) })
  const [won, lost] = [of('won').length, of('lost').length]
  return {
    ...{ open: told('open'), won: told('won'), lost: told('lost') },
    win_rate: percent(won, won + lost),
    average_ticket: rounded(sumOf(of('won')), BigInt(won) * 100n),
    filters: applied(filters as Record<string, string>),
  }
}

export function sellersOf(all: readonly Shown[], filters: Filters): unknown {
  return byOwner(matching(all, filters))
    .map((group) => {
      const of = (outcome: Outcome) => group.filter((one) => outcomeOf(one) === outcome)
      const [open, won, lost] = [of('open').length, of('won').length, of('lost').length]
      return {
        ...{ ...sellerOf(group), open_count: open, won_count: won, lost_count: lost },
        revenue: money(sumOf(of('won'))),
        average_ticket: rounded(sumOf(of('won')), BigInt(won) * 100n),
        conversion_rate: percent(won, won + lost),
      }
    })
    .sort((a, b) => b.revenue - a.revenue)
}
