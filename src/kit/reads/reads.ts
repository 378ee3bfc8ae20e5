import { type RawBuilder, sql } from 'kysely'
import { type Scope, ShapeCache, ShapedStatement, Statement, StatementCache, type Tally } from '../../database/index.js'
import { isUuid } from '../../shared/ids.js'
import { type Pagination, paginate, pagingOf } from '../../shared/paging.js'
import { SortOrder } from '../../shared/sorting.js'
import type { Selection } from '../selection.js'
import type { Declaration } from './declaration.js'
import { valuesOf } from './filter.js'
import type { Counted } from './forms/page.js'
import { all, manyByIds, oneById } from './forms/single.js'
import { isSelective, keyOf, type Plan, pageStatement, tallyFor, totalStatement } from './listing.js'
import { childLoader, type LoaderOf, recordLoader } from './loader.js'
import { own, type RecordType, recordOf } from './record.js'
import { differencesOf, type Shape, Shapes } from './shape.js'
import { spreadShared } from './spread.js'

/** Which records, in which order, which part of them. */
export interface ListQuery<Filters, By extends string> {
  filter?: Filters | null
  sort?: { by?: By | null; order?: SortOrder | null } | null
  page: number
  limit: number
}

/** A page as a resolver returns it; `items` have what the selection asks for. */
export interface PageOf<Row> {
  items: Row[]
  pagination: Pagination
}

/** What a page is read with, and the tally that its total comes from, if one does. */
interface PageStatement<Row> {
  statement: ShapedStatement<Row & Counted>
  tally: Tally | undefined
}

type Values = Record<string, unknown>
type Children<Row> = { readonly [Name in keyof Row]-?: LoaderOf<Exclude<Row[Name], undefined>> }

/** The reads of a record, made from its one declaration. Each list and each single read is one statement. */
export class Reads<Row extends { id: string }, Filters extends object = object, By extends string = string> {
  /** A loader of records by id, deleted ones among them, without what belongs to them; null where there is none. */
  readonly loader: LoaderOf<Row | null>
  /** Loaders of what belongs to records that were reached without it. */
  readonly children: Children<Row>

  private readonly record: RecordType
  private readonly shapes: Shapes
  private readonly pages = new ShapeCache<PageStatement<Row>>()
  private readonly totals = new StatementCache<Counted>()
  private readonly singles = new StatementCache<Row>()

  constructor(declaration: Declaration<Row, By>) {
    this.record = recordOf(declaration)
    this.shapes = new Shapes(this.record)
    const { table, children } = this.record
    const byIds = new Statement(manyByIds(table, this.shapes.one()) as RawBuilder<Row>, { prepared: true })
    this.loader = recordLoader(byIds)
    const loaders = children.map(([name, child]) => [name, childLoader(table, child.value(own), child.none)])
    this.children = Object.fromEntries(loaders) as Children<Row>
  }

  /** Whether a deleted record stays, marked as such. */
  get keepsDeleted(): boolean {
    return this.record.keepsDeleted
  }

  /** One page of the account's records with the exact total, in one statement; two when the page is past the end. */
  async list(db: Scope, query: ListQuery<Filters, By>, selection?: Selection): Promise<PageOf<Row>> {
    const paging = pagingOf(query.page, query.limit)
    const values = valuesOf(this.record.filters, (query.filter ?? {}) as Values)
    if (!values) return { items: [], pagination: paginate(paging, 0) }
    const plan = this.planOf(query, values, paging.offset > 0)
    if (plan.synced) values.horizon = await db.syncHorizon()
    const all = { ...values, limit: paging.limit, offset: paging.offset }
    const shape = this.shapes.page(selection)
    const key = keyOf(plan)
    const { statement, tally } = this.pages.get(`${key} ${shape.key}`, () => ({
      statement: pageStatement<Row>(this.record, plan, shape),
      tally: tallyFor(this.record, plan),
    }))
    const items = await db.rows(statement, all)
    const counted = items[0] ?? (plan.later ? await this.count(db, key, plan, all) : { total: 0, differences: 0 })
    if (tally) db.readTally(tally, counted.differences)
    tellTotals(db, shape, items)
    spreadShared(items, shape)
    return { items, pagination: paginate(paging, counted.total) }
  }

  /** The account's record of this id with what the selection asks for; undefined where there is none, or it was deleted. */
  async find(db: Scope, id: string, selection?: Selection): Promise<Row | undefined> {
    if (!isUuid(id)) return undefined
    const { table, keepsDeleted } = this.record
    const shape = this.shapes.one(selection)
    const statement = this.singles.get(shape.key, () =>
      prepared<Row>(oneById(table, shape, keepsDeleted ? [sql`r.deleted_at is null`] : [])),
    )
    return (await db.rows(statement, { id }))[0]
  }

  /** A read of all records of the account in an order, for what has no pages. */
  inOrder(order: RawBuilder<unknown>): (db: Scope, selection?: Selection) => Promise<Row[]> {
    const statements = new StatementCache<Row>()
    return (db, selection) => {
      const shape = this.shapes.one(selection)
      return db.rows(
        statements.get(shape.key, () => prepared<Row>(all(this.record.table, shape, order))),
        {},
      )
    }
  }

  private planOf({ sort }: ListQuery<Filters, By>, values: Values, later: boolean): Plan {
    const { filters, defaultSort, ascending, sync } = this.record
    const by = sort?.by ?? defaultSort
    const descending = sort?.order ? sort.order === SortOrder.DESC : !ascending
    return {
      filters: Object.keys(filters).filter((name) => name in values),
      by,
      descending,
      later,
      selective: isSelective(this.record, values),
      // Whoever keeps a copy up to date must not be shown what slower writers may yet precede.
      synced: sync !== undefined && sync.after in values && by === sync.by && !descending,
    }
  }

  private async count(db: Scope, key: string, plan: Plan, values: Values): Promise<Counted> {
    const statement = this.totals.get(key, () => totalStatement(this.record, plan))
    return (await db.rows(statement, values))[0]!
  }
}

function prepared<Row>(query: RawBuilder<unknown>): ShapedStatement<Row> {
  return new ShapedStatement(query as RawBuilder<Row>, { prepared: true })
}

/** Tells of the kept totals that a page's records show how many differences they were added up from. */
function tellTotals(db: Scope, { totals }: Shape, rows: readonly object[]): void {
  for (const [name, { differences }] of totals) {
    const column = differencesOf(name) as never
    db.readTally(
      differences!.tally,
      rows.reduce((sum, row) => sum + (row[column] as number), 0),
    )
  }
}
