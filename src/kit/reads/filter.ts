import { type RawBuilder, sql } from 'kysely'
import { columnOf, param } from '../../database/index.js'
import { isUuid } from '../../shared/ids.js'
import type { DateBound } from '../../shared/time.js'

/** A column of the record under the name that the statement at hand gives it. */
export type ColumnRef = (column: string) => RawBuilder<unknown>

/** A condition of a list that the caller may set. */
export interface Filter {
  /** The condition over a record; `value` stands for what the caller gave. */
  condition(of: ColumnRef, value: RawBuilder<unknown>): RawBuilder<boolean>
  /** The value as the statement takes it; undefined where nothing can match it. */
  prepare?(value: unknown): unknown
  /** Whether an index of trigrams finds the matches, if the text is long enough. */
  text?: boolean
  /** Whether so many records tend to match that a page of them is sooner read off the order of the list. */
  common?: boolean
  /**
   * The column, which has an index, whose latest records this asks for. Statistics do not know which accounts have recent
   * rows, so a plan for all that is recent may read a whole account: the few hundred that it mostly is are looked for
   * first, in the order of the index.
   */
  recent?: string
  /** The sort whose order an index has that begins with what this compares: then one plan serves all values. */
  leadsTo?: string
}

type Options = Pick<Filter, 'text' | 'common' | 'recent' | 'leadsTo' | 'prepare'>

/** The records for which a condition of any kind holds. */
export function where(condition: Filter['condition'], options: Options = {}): Filter {
  return { condition, ...options }
}

/** The records that refer to this one; what cannot be an id matches nothing. */
export function refersTo(property: string, options: Options = {}): Filter {
  const prepare = (value: unknown) => (isUuid(value) ? value.toLowerCase() : undefined)
  return { condition: (of, value) => sql`${of(columnOf(property))} = ${value}`, prepare, ...options }
}

/** The records with this very value. */
export function equals(property: string, options: Options = {}): Filter {
  return { condition: (of, value) => sql`${of(columnOf(property))} = ${value}`, ...options }
}

/** The records with this word, whatever its case; theirs is in lower case. */
export function hasWord(property: string, options: Options = {}): Filter {
  const prepare = (value: unknown) => String(value).toLowerCase()
  return { condition: (of, value) => sql`${of(columnOf(property))} = ${value}`, prepare, ...options }
}

/** The records whose text holds this one, whatever its case and accents; `folded` is their text without both. */
export function contains(folded: (of: ColumnRef) => RawBuilder<unknown>, options: Options = {}): Filter {
  return { condition: (of, value) => sql`${folded(of)} like like_pattern(${value})`, ...options }
}

/** The records of this time or later. */
export function since(property: string, options: Options = {}): Filter {
  const prepare = (value: unknown) => (value as DateBound).from
  return { condition: (of, value) => sql`${of(columnOf(property))} >= ${value}`, prepare, ...options }
}

/** The records of this time or earlier. */
export function until(property: string, options: Options = {}): Filter {
  const prepare = (value: unknown) => (value as DateBound).to
  return { condition: (of, value) => sql`${of(columnOf(property))} <= ${value}`, prepare, ...options }
}

/** The columns that a condition looks at. */
export function columnsIn({ condition }: Filter): string[] {
  const seen: string[] = []
  condition((column) => {
    seen.push(column)
    return sql.ref(column)
  }, sql.lit(null))
  return seen
}

/** The condition with its value's name as a parameter. */
export function conditionOf({ condition }: Filter, name: string, of: ColumnRef): RawBuilder<boolean> {
  return condition(of, sql`${param(name)}`)
}

/** The index of trigrams does not help to find one or two characters, and many records have them. */
export const isShortTerm = (term: unknown): boolean => typeof term === 'string' && term.length < 3

/** The values of a list's filters by name, and whether anything can match them. */
export function valuesOf(
  filters: Readonly<Record<string, Filter>>,
  given: Readonly<Record<string, unknown>>,
): { values: Record<string, unknown>; matchable: boolean } {
  const values: Record<string, unknown> = {}
  let matchable = true
  for (const [name, { prepare }] of Object.entries(filters)) {
    const value = given[name]
    if (value === undefined || value === null) continue
    values[name] = prepare ? prepare(value) : value
    matchable &&= values[name] !== undefined
  }
  return { values, matchable }
}
