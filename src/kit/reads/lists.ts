import {
  type Context,
  type CopiedPage,
  copyValues,
  findReadPosition,
  keepReadPosition,
  type Scope,
  ShapeCache,
  type Statement,
  StatementCache,
} from '../../database/index.js'
import { NIL_ID } from '../../shared/ids.js'
import { type Pagination, type Paging, pagingOf } from '../../shared/paging.js'
import type { SortOrder } from '../../shared/sorting.js'
import { ToldCopies } from '../copies.js'
import type { Selection } from '../selection.js'
import { noCursor, readCursor, writeCursor } from './cursor.js'
import { valuesOf } from './filter.js'
import type { Counted } from './forms/page.js'
import { type Place, placeValues, startOf } from './keyset.js'
import { type Listed, type PageStatement, pageStatement, totalStatement } from './listing.js'
import { isConfined, OWN } from './own.js'
import { keyOf, type ListPlan, orderOf, type Plan, planList, tallyFor } from './plan.js'
import type { RecordType } from './record.js'
import { differencesOf, type Shape, type Shapes } from './shape.js'
import { spreadShared } from './spread.js'
import { byCursor, byNumber, byPlace, type Standing } from './standing.js'
import { viewOf } from './whose.js'

/** Which records, in which order, which part of them. */
export interface ListQuery<Filters, By extends string> {
  filter?: Filters | null
  sort?: { by?: By | null; order?: SortOrder | null } | null
  page: number
  limit: number
  /** Where a page before said that the list goes on; it decides then, and not the number of the page. */
  cursor?: string | null
}

/** A page as a resolver returns it; `items` have what the selection asks for. */
export interface PageOf<Row> {
  items: Row[]
  pagination: Pagination
}

/** Who reads a list: the account's records, with the key that keeps its place in them. */
export type Reader = Pick<Context, 'db' | 'viewer'>

type Values = Record<string, unknown>

/** A list that was asked for, with the values of its filters and a text that tells it from all others. */
interface List {
  plan: ListPlan
  values: Values
  name: string
  shape: Shape
}

/** The records that were read, and what was counted along with them. */
interface Found<Row> extends Counted, Placed<Row> {}

/** Records of a page, and where each stands in the order of the list. */
interface Placed<Row> {
  rows: Row[]
  placeOf(row: Row): Place
}

/** Reads the lists of a record, page by page: by number, by cursor, or as a copy that must lose nothing. */
export class Lists<Row extends { id: string }> {
  private readonly pages = new ShapeCache<PageStatement<Row>>()
  private readonly totals = new StatementCache<Counted>()
  private readonly told = new ToldCopies()

  constructor(
    private readonly record: RecordType,
    private readonly shapes: Shapes,
  ) {}

  /** One page. Whoever pages by number has the exact total; it takes one statement, two when the page is past the end. */
  async read(reader: Reader, query: ListQuery<object, string>, selection?: Selection): Promise<PageOf<Row>> {
    const paging = pagingOf(query.page, query.limit)
    const { values, matchable } = this.valuesFor(reader.db, query.filter ?? {})
    const plan = planList(this.record, values, query.sort)
    if (!matchable) return nothing(plan, paging, query.cursor)
    const name = nameOf(reader.db, this.record, plan, values)
    const list = { plan, values, name, shape: this.shapes.page(isConfined(reader.db), selection) }
    if (plan.synced) await this.told.tell(reader.db, this.record.table)
    if (query.cursor) return this.follow(reader.db, list, query.cursor, paging.limit)
    return plan.synced ? this.copy(reader, list, paging) : this.byNumber(reader.db, list, paging)
  }

  /** A page, by its number, of a list in its usual order whose records and total were read otherwise. */
  pageOf(db: Scope, filter: object, paging: Paging, rows: Row[], total: number): PageOf<Row> {
    const { values } = this.valuesFor(db, filter)
    const plan = planList(this.record, values, null)
    const { column } = orderOf(this.record, plan)
    const { name } = this.record.fields.find((field) => field.column === column)!
    const placeOf = (row: Row) => ({ id: row.id, values: [row[name as keyof Row] as never] })
    return pageOf(db, nameOf(db, this.record, plan, values), { rows, placeOf }, byNumber(paging, total, rows.length))
  }

  /** The values of the filters, the viewer's own scope among them where the record has one. */
  private valuesFor(db: Scope, filter: object) {
    const { filters } = this.record
    const { ownerScope } = db.viewer
    return valuesOf(filters, (ownerScope === undefined ? filter : { ...filter, [OWN]: ownerScope }) as Values)
  }

  private async byNumber(db: Scope, list: List, paging: Paging): Promise<PageOf<Row>> {
    const plan: Plan = { ...list.plan, start: paging.offset > 0 ? 'offset' : 'top', counts: 'all' }
    const found = await this.find(db, list, plan, { limit: paging.limit, offset: paging.offset })
    return pageOf(db, list.name, found, byNumber(paging, found.total, found.rows.length))
  }

  /** A page after a cursor: one record more tells whether there is a next page, and nothing is counted. */
  private async follow(db: Scope, list: List, text: string, limit: number): Promise<PageOf<Row>> {
    const cursor = readCursor(db, list.name, text)
    const horizon = list.plan.synced ? await db.syncHorizon() : undefined
    const plan: Plan = { ...list.plan, start: startOf(cursor.place), counts: 'nothing' }
    const found = await this.find(db, list, plan, { ...placeValues(cursor.place), limit: limit + 1, horizon })
    const hasNext = found.rows.length > limit
    if (hasNext) found.rows.pop()
    return pageOf(db, list.name, found, byCursor(cursor, limit, found.rows.length, hasNext))
  }

  /** A page, by its number, of what whoever keeps a copy up to date reads: it begins where the one before it ended. */
  private async copy({ db, viewer }: Reader, list: List, paging: Paging): Promise<PageOf<Row>> {
    const asked: CopiedPage = { keyId: viewer.actor.id, list: list.name, limit: paging.limit, page: paging.page }
    const { horizon, before } = await findReadPosition(db, asked)
    const place: Place | undefined = before && { values: [before.at], id: before.id }
    const start = place ? startOf(place) : paging.page > 1 ? 'offset' : 'top'
    if (start === 'offset') db.warn(['page'], UNKNOWN_START, COUNTED_INSTEAD)
    const plan: Plan = { ...list.plan, start, counts: place ? 'remaining' : 'all' }
    const bounds = { limit: paging.limit, offset: paging.offset, horizon, ...copyValues(asked) }
    const found = await this.find(db, list, plan, { ...bounds, ...(place && placeValues(place)) })
    const { total, rows } = found
    const remaining = place ? found.remaining! : Math.max(0, total - paging.offset)
    if (rows.length === 0) await this.keepStart(db, asked, place ?? (start === 'top' ? this.topOf(list) : undefined))
    return pageOf(db, list.name, found, byPlace(paging, total, remaining, rows.length))
  }

  /** An empty page ends where it began; one with records keeps its end itself. */
  private async keepStart(db: Scope, asked: CopiedPage, place: Place | undefined): Promise<void> {
    if (place) await keepReadPosition(db, asked, { at: place.values[0] as string, id: place.id })
  }

  /** The place before all records of a copy: no record has this id. */
  private topOf({ plan, values }: List): Place {
    const { after } = this.record.syncs.find(({ by }) => by === plan.by)!
    return { values: [values[after] as string], id: NIL_ID }
  }

  private async find(db: Scope, list: List, plan: Plan, more: Values): Promise<Found<Row>> {
    const { shape } = list
    const values = { ...list.values, ...more }
    const key = keyOf(plan)
    const { statement, sortedBy } = this.pages.get(`${key} ${shape.key}`, () =>
      pageStatement<Row>(this.record, plan, shape),
    )
    const rows = await db.rows(statement as Statement<Listed<Row>>, values)
    const once = rows[0]?.once
    const counted = once?.counted ?? (await this.count(db, key, plan, values))
    const tally = plan.counts === 'nothing' ? undefined : tallyFor(this.record, plan)
    if (tally) db.readTally(tally, counted.differences)
    tellTotals(db, shape, rows)
    if (once?.shared) spreadShared(rows, once.shared, shape)
    const { total, differences, remaining } = counted
    const placeOf = (row: Row) => ({ id: row.id, values: sortedBy.map((name) => row[name as keyof Row] as never) })
    return { rows, total, differences, remaining, placeOf }
  }

  /** What a list adds up to whose page has no record to tell it. */
  private async count(db: Scope, key: string, plan: Plan, values: Values): Promise<Counted> {
    if (plan.start === 'top' || plan.counts === 'nothing') return { total: 0, differences: 0 }
    const statement = this.totals.get(key, () => totalStatement(this.record, plan))
    return (await db.rows(statement, values))[0]!
  }
}

const UNKNOWN_START = 'does not follow a page that this key has read in the last 24 hours'
const COUNTED_INSTEAD =
  '; its start was counted, so changed records may be missing: follow `cursor`, or begin at page 1'

/** A text that tells a list of records with its filters and its order from all others of the account. */
function nameOf(db: Scope, { table, whose }: RecordType, { by, descending }: ListPlan, values: Values): string {
  return JSON.stringify([table, by, descending, values, ...viewOf(whose, db)])
}

function pageOf<Row>(db: Scope, name: string, found: Placed<Row>, { seen, ...standing }: Standing): PageOf<Row> {
  const last = found.rows.at(-1)
  const { page, total, hasNext } = standing
  const nextCursor = hasNext && last ? writeCursor(db, name, { place: found.placeOf(last), page, seen, total }) : null
  return { items: found.rows, pagination: { ...standing, nextCursor } }
}

/** The page of a list in which nothing can be; no cursor leads there. */
function nothing<Row>({ synced }: ListPlan, paging: Paging, cursor: string | null | undefined): PageOf<Row> {
  if (cursor) throw noCursor()
  const { seen: _, ...standing } = synced ? byPlace(paging, 0, 0, 0) : byNumber(paging, 0, 0)
  return { items: [], pagination: { ...standing, nextCursor: null } }
}

/** Tells of the kept totals that a page's records show how many differences they were added up from. */
function tellTotals(db: Scope, { totals }: Shape, rows: readonly object[]): void {
  for (const [name, { differences }] of totals) {
    const column = differencesOf(name) as never
    const sum = rows.reduce((all, row) => all + (row[column] as number), 0)
    db.readTally(differences!.tally, sum)
  }
}
