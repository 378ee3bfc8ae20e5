import type { Tally } from '../../database/index.js'
import { SortOrder } from '../../shared/sorting.js'
import { isShortTerm } from './filter.js'
import type { Start } from './keyset.js'
import { OWN, type OwnList } from './own.js'
import type { RecordType } from './record.js'
import type { Order } from './sort.js'

type Values = Readonly<Record<string, unknown>>

/** A list in its order, whichever part of it is asked for. */
export interface ListPlan {
  /** The names of the filters that are set, in the order of their declaration. */
  filters: readonly string[]
  by: string
  descending: boolean
  /** Whether the matches are few enough to be found before a page is cut from them: see `isSelective`. */
  selective: boolean
  /** Whether it is read by whoever keeps a copy up to date, and must not show what slower writers may yet precede. */
  synced: boolean
}

/** All that shapes the statement of a page, beside what it brings; the values come later. */
export interface Plan extends ListPlan {
  /** Where the page begins: at the top, after a place, or after as many records as the pages before it hold. */
  start: Start | 'offset'
  /** What is counted: nothing, the whole list, or also what comes after the start. */
  counts: 'nothing' | 'all' | 'remaining'
}

/** A text that stands for a plan: the statement is made from the plan alone, so equal texts mean equal statements. */
export const keyOf = (plan: Plan): string => JSON.stringify(plan)

/** What the filters' values and the sort that was asked for, if one was, mean for a list. */
export function planList(
  record: RecordType,
  values: Values,
  sort: { by?: string | null; order?: SortOrder | null } | null | undefined,
): ListPlan {
  const { filters, defaultSort, ascending, syncs } = record
  const implied = sort?.by ? undefined : syncs.find(({ after, implied }) => implied && after in values)
  const by = sort?.by ?? implied?.by ?? defaultSort
  const descending = sort?.order ? sort.order === SortOrder.DESC : !(ascending || implied)
  return {
    filters: Object.keys(filters).filter((name) => name in values),
    by,
    descending,
    selective: isSelective(record, values),
    synced: !descending && syncs.some((sync) => sync.by === by && sync.after in values),
  }
}

/**
 * Whether the matches are few enough to be found before the page is cut from them. If not, the page comes in the order of
 * an index, and the total is counted beside it.
 */
function isSelective({ filters }: RecordType, values: Values): boolean {
  // Of all records few are a seller's own.
  if (OWN in values) return true
  const names = Object.keys(values)
  const broad = names.some((name) => filters[name]?.text && isShortTerm(values[name]))
  return !broad && names.some((name) => !filters[name]?.common)
}

/** The order of a list. */
export function orderOf({ sorts }: RecordType, { by, descending }: Pick<ListPlan, 'by' | 'descending'>): Order {
  return { ...sorts[by]!, descending }
}

/** The tally that knows the total of a list, if one does. */
export function tallyFor({ tallies }: RecordType, { filters, synced }: ListPlan): Tally | undefined {
  if (synced) return undefined
  return tallies.find((known) => filters.every((name) => known.filters.includes(name)))?.tally
}

/** Whether the matches of a list are found before a page is cut from them. */
export function findsMatches(record: RecordType, plan: ListPlan): boolean {
  if (plan.filters.length === 0 || !plan.selective || tallyFor(record, plan)) return false
  // Whoever copies a list reads it in the order of the index that bounds it, unless a text has matches of its own.
  return !plan.synced || plan.filters.some((name) => record.filters[name]!.text)
}

/** The table that has a list in its order, where the list is all that is the viewer's own. */
export function ownListOf({ ownList }: RecordType, { filters, by, synced }: ListPlan): OwnList | undefined {
  const isAll = filters.length === 1 && filters[0] === OWN && !synced
  return isAll && ownList?.by.includes(by) ? ownList : undefined
}

/** Whether an index holds the conditions and the order, whatever the values are: then one plan serves them all. */
export function isOrdered(record: RecordType, plan: Plan): boolean {
  if (plan.start === 'offset') return false
  if (ownListOf(record, plan)) return true
  const { filters } = record
  const [first, ...more] = plan.filters
  if (first === undefined) return true
  if (more.length > 0) return false
  // A copy, with all that it counts, is a range of the index that it is read off.
  return plan.synced ? filters[first]!.recent !== undefined : filters[first]!.leadsTo === plan.by
}
