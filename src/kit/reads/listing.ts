import { type RawBuilder, sql } from 'kysely'
import { keepingReadPosition, param, ShapedStatement } from '../../database/index.js'
import { fieldsOf, valueIn } from './fields.js'
import { conditionOf } from './filter.js'
import { filteredPage } from './forms/filtered-page.js'
import { laterPage } from './forms/later-page.js'
import { orderedPage } from './forms/ordered-page.js'
import { ownPage } from './forms/own-page.js'
import type { Counted, Once, OncePerPage, PageParts, Recent } from './forms/page.js'
import { countedTotal, keptTotal, type Outside, type RecentRange, rangeTotal, recentTotal } from './forms/total.js'
import { afterPlace } from './keyset.js'
import { sharedJson } from './labels.js'
import { OWN } from './own.js'
import { findsMatches, isOrdered, type ListPlan, orderOf, ownListOf, type Plan, tallyFor } from './plan.js'
import { dimension, own, type RecordType } from './record.js'
import type { Shape } from './shape.js'

/** A record as it comes from the database. */
export type Listed<Row> = Row & { once?: Once | null }

/** The statement of a page, and the names under which its rows have what the list is sorted by. */
export interface PageStatement<Row> {
  statement: ShapedStatement<Listed<Row>>
  sortedBy: readonly string[]
}

/** Makes the statement of a page. */
export function pageStatement<Row>(record: RecordType, plan: Plan, shape: Shape): PageStatement<Row> {
  const { columns, names } = withSortColumns(record, plan, shape)
  const parts = partsOf(record, plan, { ...shape, columns })
  const later = plan.start === 'offset'
  const ownList = ownListOf(record, plan)
  const query = ownList
    ? ownPage(parts, ownList, later)
    : findsMatches(record, plan) && plan.counts !== 'remaining'
      ? filteredPage(parts, later)
      : later
        ? laterPage(parts)
        : orderedPage(parts)
  const statement = new ShapedStatement(query as RawBuilder<Listed<Row>>, { prepared: isOrdered(record, plan) })
  return { statement, sortedBy: names }
}

/** The statement of what a list adds up to, for a page that has no record to bring it. */
export function totalStatement(record: RecordType, plan: Plan): ShapedStatement<Counted> {
  return new ShapedStatement(totalOf(record, plan))
}

/** The columns that a list is sorted by come along, since a cursor names them: as fields where they are asked for. */
function withSortColumns(record: RecordType, plan: Plan, { columns, names }: Shape) {
  const { column, second } = orderOf(record, plan)
  const sorted = second ? [column, second] : [column]
  const extra = sorted.filter((name) => !names.has(name))
  const reading = (name: string) => {
    const field = fieldsOf(record.entity).find((one) => one.column === name)
    return sql`${field ? valueIn(field, 'r') : own(name)} as ${sql.ref(name)}`
  }
  return { columns: [...columns, ...extra.map(reading)], names: sorted.map((name) => names.get(name) ?? name) }
}

function partsOf(record: RecordType, plan: Plan, shape: Shape): PageParts {
  return {
    table: record.table,
    conditions: conditionsOf(record, plan),
    order: orderOf(record, plan),
    after: afterOf(record, plan),
    columns: shape.columns,
    joins: shape.joins,
    shared: onceOf(shape),
    total: plan.counts === 'nothing' ? undefined : totalOf(record, plan),
    recent: recentOf(record, plan),
    kept: plan.synced && plan.counts !== 'nothing' ? keepingReadPosition : undefined,
  }
}

const LIVE = sql<boolean>`r.deleted_at is null`

/** What holds of whatever is listed. */
const always = ({ keepsDeleted, mine, only }: RecordType): RawBuilder<boolean>[] =>
  keepsDeleted ? [mine, LIVE, ...only] : [mine, ...only]

function conditionsOf(record: RecordType, plan: ListPlan): RawBuilder<boolean>[] {
  const ownList = ownListOf(record, plan)
  if (ownList) return [record.mine, ownList.condition(own, sql`${param(OWN)}`)]
  const asked = plan.filters.map((name) => conditionOf(record.filters[name]!, name, own))
  const settled = sql<boolean>`${own(orderOf(record, plan).column)} < ${param('horizon')}`
  return [...always(record), ...asked, ...(plan.synced ? [settled] : [])]
}

const afterOf = (record: RecordType, plan: Plan): RawBuilder<boolean>[] =>
  plan.start === 'top' || plan.start === 'offset' ? [] : afterPlace(orderOf(record, plan), plan.start, own)

function totalOf(record: RecordType, plan: Plan): RawBuilder<Counted> {
  const { table } = record
  const tally = tallyFor(record, plan)
  if (tally) {
    const mine = sql<boolean>`k.account_id = ${param('account')}`
    return keptTotal(tally, [mine, ...plan.filters.map((name) => conditionOf(record.filters[name]!, name, dimension))])
  }
  const conditions = conditionsOf(record, plan)
  const recent = recentOf(record, plan)
  const after = plan.counts === 'remaining' ? afterOf(record, plan) : []
  const ownList = ownListOf(record, plan)
  if (ownList) return countedTotal(ownList.source, conditions, after)
  if (!recent || !plan.synced) return countedTotal(table, conditions, after)
  const list = { table, conditions, recent, after }
  const range = rangeOf(record, plan)
  return range ? rangeTotal({ ...list, ...range }) : recentTotal(list)
}

/** What a list of all that changed since a moment leaves out of all records; undefined where it is confined further. */
function rangeOf(record: RecordType, plan: ListPlan): Pick<RecentRange, 'tally' | 'outside'> | undefined {
  const all = record.tallies.find(({ tally }) => tally.table === record.table)
  const [name, ...others] = plan.filters
  if (!all || others.length > 0) return undefined
  const { column, nullable } = orderOf(record, plan)
  // Asked for by a subquery, a value costs the same in the plan for it and in the one for all, so that the latter is kept.
  const hidden = (value: RawBuilder<unknown>) => sql`(select ${value})`
  const at = own(column)
  const since = hidden(sql`${param(name!)}::timestamptz`)
  const unsettledSince = hidden(sql`greatest(${param(name!)}::timestamptz, ${param('horizon')}::timestamptz)`)
  const outsideOf = (
    descending: boolean,
    isOutside: Outside['isOutside'],
    ends: RawBuilder<boolean>[] = [],
  ): Outside => ({
    atEnd: { conditions: [...always(record), ...ends], descending },
    isOutside,
    conditions: [...always(record), isOutside(at)],
  })
  const older = outsideOf(false, (value) => sql`${value} < ${since}`)
  // Nothing is both older and unsettled, even where the moment lies in the future.
  const unsettled = outsideOf(true, (value) => sql`${value} >= ${unsettledSince}`, [sql`${at} is not null`])
  const without = outsideOf(true, (value) => sql`${value} is null`)
  return { tally: all.tally, outside: [older, unsettled, ...(nullable ? [without] : [])] }
}

function recentOf(record: RecordType, { filters }: ListPlan): Recent | undefined {
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
