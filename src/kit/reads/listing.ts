import { type RawBuilder, sql } from 'kysely'
import { param, ShapedStatement, type Tally } from '../../database/index.js'
import { conditionOf, isShortTerm } from './filter.js'
import { filteredPage } from './forms/filtered-page.js'
import { firstPage } from './forms/first-page.js'
import { laterPage } from './forms/later-page.js'
import { type Counted, type OncePerPage, type PageParts } from './forms/page.js'
import { countedTotal, keptTotal } from './forms/total.js'
import { sharedJson } from './labels.js'
import { dimension, own, type RecordType } from './record.js'
import type { Shape } from './shape.js'

/** All that shapes the statement of a page, beside what it brings; the values come later. */
export interface Plan {
  /** The names of the filters that are set, in the order of their declaration. */
  filters: readonly string[]
  by: string
  descending: boolean
  later: boolean
  /** Whether a filter is broad: see `isSelective`. */
  selective: boolean
  /** Whether the list stops at the sync horizon. */
  synced: boolean
}

/** A text that stands for a plan: the statement is made from the plan alone, so equal texts mean equal statements. */
export const keyOf = (plan: Plan): string => JSON.stringify(plan)

/**
 * Whether the matches are few enough to be found before the page is cut from them. If not, the page comes in the order of
 * an index, and the total is counted beside it.
 */
export function isSelective({ filters }: RecordType, values: Readonly<Record<string, unknown>>): boolean {
  const names = Object.keys(values)
  const broad = names.some((name) => filters[name]?.text && isShortTerm(values[name]))
  return !broad && names.some((name) => !filters[name]?.common)
}

/** The tally that knows the total of a list with these filters, if one does. */
export function tallyFor({ tallies }: RecordType, plan: Pick<Plan, 'filters' | 'synced'>): Tally | undefined {
  if (plan.synced) return undefined
  return tallies.find(({ filters }) => plan.filters.every((name) => filters.includes(name)))?.tally
}

/** The statement of a page. */
export function pageStatement<Row>(record: RecordType, plan: Plan, shape: Shape): ShapedStatement<Row & Counted> {
  const found = plan.filters.length > 0 && plan.selective && !tallyFor(record, plan)
  const parts = partsOf(record, plan, shape)
  const query = found ? filteredPage(parts, plan.later) : plan.later ? laterPage(parts) : firstPage(parts)
  return new ShapedStatement(query as RawBuilder<Row & Counted>, { prepared: !plan.later && isOrdered(record, plan) })
}

/** The statement of a list's total, for a page that has no record to bring it. */
export function totalStatement(record: RecordType, plan: Plan): ShapedStatement<Counted> {
  return new ShapedStatement(totalOf(record, plan))
}

/** Whether an index holds the conditions and the order, whatever the values are: then one plan serves them all. */
function isOrdered({ filters }: RecordType, plan: Plan): boolean {
  const [first, ...more] = plan.filters
  return first === undefined || (more.length === 0 && filters[first]!.leadsTo === plan.by)
}

function partsOf(record: RecordType, plan: Plan, shape: Shape): PageParts {
  return {
    table: record.table,
    conditions: conditionsOf(record, plan),
    order: { ...record.sorts[plan.by]!, descending: plan.descending },
    columns: shape.columns,
    joins: shape.joins,
    shared: onceOf(shape),
    total: totalOf(record, plan),
    recent: recentOf(record, plan),
  }
}

const MINE = sql<boolean>`r.account_id = ${param('account')}`
const LIVE = sql<boolean>`r.deleted_at is null`

/** What holds of whatever is listed. */
const always = ({ keepsDeleted }: RecordType): RawBuilder<boolean>[] => (keepsDeleted ? [MINE, LIVE] : [MINE])

function conditionsOf(record: RecordType, { filters, synced }: Plan): RawBuilder<boolean>[] {
  const asked = filters.map((name) => conditionOf(record.filters[name]!, name, own))
  const before = sql<boolean>`${own(record.sorts[record.sync?.by ?? '']?.column ?? '')} <= ${param('horizon')}`
  return [...always(record), ...asked, ...(synced ? [before] : [])]
}

function totalOf(record: RecordType, plan: Plan): RawBuilder<Counted> {
  const tally = tallyFor(record, plan)
  if (!tally) return countedTotal(record.table, conditionsOf(record, plan))
  const mine = sql<boolean>`k.account_id = ${param('account')}`
  return keptTotal(tally, [mine, ...plan.filters.map((name) => conditionOf(record.filters[name]!, name, dimension))])
}

function recentOf(record: RecordType, { filters }: Plan): PageParts['recent'] {
  const [name, ...others] = filters.filter((one) => record.filters[one]!.recent)
  if (name === undefined || others.length > 0 || filters.some((one) => record.filters[one]!.text)) return undefined
  const filter = record.filters[name]!
  return { column: filter.recent!, bounds: [...always(record), conditionOf(filter, name, own)] }
}

function onceOf({ shared, spread }: Shape): OncePerPage | undefined {
  if (shared.length + spread.length === 0) return undefined
  return (valuesOf) => {
    const members = [
      ...shared.map((one) => [one.reference.name, sharedJson(one, valuesOf)] as const),
      ...spread.map(([name, child]) => [name, child.spread!.all(valuesOf('id'))] as const),
    ]
    return sql`json_build_object(${sql.join(members.flatMap(([name, value]) => [sql.lit(name), value]))})`
  }
}
