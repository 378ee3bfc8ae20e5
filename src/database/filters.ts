import { type RawBuilder, sql } from 'kysely'
import { SortOrder } from '../shared/sorting.js'
import type { DateBound } from '../shared/time.js'
import type { PageQuery } from './page.js'
import { param } from './statement.js'

type Condition = RawBuilder<boolean>
type Values = Record<string, unknown>

/** That a folded text contains the value of this name, whatever the value's case and accents. */
export function contains(folded: RawBuilder<unknown>, name: string): Condition {
  return sql`${folded} like like_pattern(${param(name)})`
}

/** The values of the conditions that a filter has, by name; of a span of time, the end that its name asks for. */
export function filterValues(filter: object): Values {
  const values: Values = {}
  for (const [name, value] of Object.entries(filter)) {
    if (value !== null && value !== undefined) values[name] = isBound(value) ? value[endOf(name)] : value
  }
  return values
}

const isBound = (value: object): value is DateBound => typeof value === 'object' && 'from' in value
const endOf = (name: string) => (name.endsWith('After') ? 'from' : 'to')

/** The index of trigrams does not help to find one or two characters, and many records have them. */
export const isShortTerm = (term: unknown): boolean => typeof term === 'string' && term.length < 3

/** Whether the reader is one who keeps a copy up to date, and must not be shown what slower writers may yet precede. */
export function isSync(
  sort: { by?: string | null; order?: SortOrder | null } | null | undefined,
  { updatedAfter }: Values,
): boolean {
  return updatedAfter !== undefined && sort?.by === UPDATED_AT && sort.order === SortOrder.ASC
}

const UPDATED_AT = 'updated_at'

/** How to look for what changed since a moment, unless there is one of the texts, whose index finds the matches. */
export function recentOf(
  conditions: { updatedAfter: Condition },
  names: readonly string[],
  texts: readonly string[],
): PageQuery['recent'] {
  if (!names.includes('updatedAfter') || texts.some((name) => names.includes(name))) return undefined
  return { column: UPDATED_AT, bounds: [conditions.updatedAfter] }
}
