import { type RawBuilder, sql } from 'kysely'
import { MAX_LIMIT, type Pagination, type Paging, paginate } from '../shared/paging.js'
import type { Scope } from './scope.js'
import { param, ShapeCache, Statement, StatementCache } from './statement.js'
import { type Tally, tableOf } from './tally/index.js'

/** What a list is sorted by: a column of its table. */
export interface SortKey {
  column: string
  nullable: boolean
  descending: boolean
  /** A further column, never null, that decides between equal ones before the id does. */
  second?: string
}

/** What is listed. */
export interface PageSource {
  /** The table, known to the expressions under this alias. */
  table: string
  alias: string
  /** What holds of all that is ever listed, such as not to have been deleted. */
  always?: RawBuilder<boolean>
  /** The kept total of the unfiltered list; without one it is counted. */
  tally?: Tally
}

/** Everything of a page's statement but the values. */
export interface PageQuery {
  conditions: readonly RawBuilder<boolean>[]
  sort: SortKey
  columns: readonly RawBuilder<unknown>[]
  /** Joined to the records of the page alone, for the columns. They must neither drop nor double a record. */
  joins?: RawBuilder<unknown>
  /** The tally that knows the total, if one does, and conditions on its rows that say the same as `conditions`. */
  tallied?: { tally: Tally; conditions: readonly RawBuilder<boolean>[] }
  /**
   * A JSON value that is made once for all records of the page, and comes as `shared` of the first. It is made out of the
   * page's values of columns, each as a sub-select.
   */
  shared?: (valuesOf: (column: string) => RawBuilder<unknown>) => RawBuilder<unknown>
  /**
   * A column with an index, and those of the conditions that bound it from below. Statistics do not know which accounts
   * have recent rows, so a plan for all that is recent may read a whole account: the few hundred that it mostly is are
   * looked for first, in the order of the index.
   */
  recent?: { column: string; bounds: readonly RawBuilder<boolean>[] }
  /**
   * Whether the matches are few enough to be found before the page is cut from them. If not, the page comes in the
   * order of an index, and the total is counted beside it.
   */
  selective?: boolean
  /**
   * Whether an index holds the conditions and the order, whatever the values are: then one plan serves them all. Without
   * conditions each documented order has its index.
   */
  ordered?: boolean
}

const RECENT_ROWS = 1000

type Counted = { total: number; differences: number }
type Values = Readonly<Record<string, unknown>>

/** What a page is read with, and the tally that its total comes from, if one does. */
interface Page<Row> {
  statement: Statement<Row & Counted>
  tally?: Tally
}

/** Reads pages of a list with their exact totals: one statement each, two when a page is past the end. */
export class PageReader<Row> {
  private readonly pages = new ShapeCache<Page<Row>>()
  private readonly totals = new StatementCache<Counted>()

  constructor(private readonly source: PageSource) {}

  /**
   * Reads a page. Equal texts of `shape` must mean equal queries: `query` is asked only for the first of them. `values`
   * are those of its conditions and columns.
   */
  async read(
    db: Scope,
    paging: Paging,
    shape: string,
    query: () => PageQuery,
    values: Values,
  ): Promise<{ items: Row[]; pagination: Pagination }> {
    const later = paging.offset > 0
    const { statement, tally } = this.pages.get(`${shape}|${later}`, () =>
      compilePage<Row>(this.source, query(), later),
    )
    const all = { ...values, limit: paging.limit, offset: paging.offset }
    const items = await db.rows(statement, all)
    const counted = items[0] ?? (later ? await this.count(db, shape, query, all) : { total: 0, differences: 0 })
    if (tally) db.readTally(tally, counted.differences)
    return { items, pagination: paginate(paging, counted.total) }
  }

  private async count(db: Scope, shape: string, query: () => PageQuery, values: Values): Promise<Counted> {
    const total = () => new Statement(sql<Counted>`select * from (${totalOf(this.source, query())}) t`)
    return (await db.rows(this.totals.get(shape, total), values))[0]!
  }
}

/**
 * A first page is read off an index as it stands. For a later one the ids come first and the records are joined to them,
 * so that what is skipped is never read; for a filtered one the matches, which are counted too.
 */
function compilePage<Row>(source: PageSource, query: PageQuery, later: boolean): Page<Row> {
  const { alias, table } = source
  const { sort, columns, joins = sql``, conditions, shared, selective = true, ordered = false } = query
  const filtered = conditions.length > 0
  const found = filtered && selective
  const direction = sql.raw(sort.descending ? `desc${sort.nullable ? ' nulls last' : ''}` : 'asc')
  const tie = sql.raw(sort.descending ? 'desc' : 'asc')
  const ties = [...(sort.second ? [sort.second] : []), 'id']
  const orderBy = (of: string) =>
    sql`order by ${sql.ref(`${of}.${sort.column}`)} ${direction},
      ${sql.join(ties.map((column) => sql`${sql.ref(`${of}.${column}`)} ${tie}`))}`
  const cut = later ? sql`limit ${param('limit')} offset ${param('offset')}` : sql`limit ${param('limit')}`
  const keyColumns = [...ties, sort.column].map((column) => sql.ref(`${alias}.${column}`))
  const keys = sql`select ${sql.join(keyColumns)} ${fromWhere(source, query)}`
  const first = sql`(select first.id from page first ${orderBy('first')} limit 1)`
  // What is the same for all rows is sent with the first alone.
  const once = (value: RawBuilder<unknown>, name: string) =>
    sql`case when ${sql.ref(`${alias}.id`)} = ${first} then (${value}) end as ${sql.ref(name)}`
  const counts = ['total', 'differences'].map((name) => once(sql.ref(`counted.${name}`), name))
  const whole = !found && !later
  const valuesOf = (column: string) =>
    whole || column === 'id'
      ? sql`select ${sql.ref(`page.${column}`)} from page`
      : sql`select ${sql.ref(`r.${column}`)} from page join ${sql.table(table)} as r on r.id = page.id`
  const everything = sql.join([...counts, ...columns, ...(shared ? [once(shared(valuesOf), 'shared')] : [])])

  // A plan for all values takes a limit for a tenth of what it limits. Of an account that is so much that PostgreSQL would
  // rather plan each read anew, for as long as the read takes; of the most that a page can have it is little, and the
  // order of an index the cheapest way to it, however many rows an account mostly has.
  const most = sql`limit ${sql.lit(MAX_LIMIT)}`
  const page = whole
    ? sql`select * from (select ${sql.ref(alias)}.* ${fromWhere(source, query)} ${orderBy(alias)} ${most}) w ${cut}`
    : sql`select m.* from ${found ? sql`matches` : sql`(${keys})`} m ${orderBy('m')} ${cut}`
  const records = whole
    ? sql`page as ${sql.ref(alias)}`
    : sql`page join ${sql.table(table)} as ${sql.ref(alias)} on ${sql.ref(`${alias}.id`)} = page.id`
  const text = sql<Row & Counted>`
    with ${found ? sql`${matchesOf(source, query, keyColumns, keys)},` : sql``} page as (${page}),
    counted as (${found ? sql`select count(*)::int as total, 0 as differences from matches` : totalOf(source, query)})
    select ${everything} from ${records} ${joins}, counted ${orderBy(alias)}`
  const statement = new Statement(text, { prepared: (ordered || !filtered) && !later })
  return { statement, tally: found ? undefined : keptTotal(source, query)?.tally }
}

/** The keys of all that match. What is recent is read once if it is little, and only else looked for by all conditions. */
function matchesOf(
  source: PageSource,
  query: PageQuery,
  keyColumns: readonly RawBuilder<unknown>[],
  every: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const { recent } = query
  if (!recent) return sql`matches as materialized (${every})`
  const { alias } = source
  const first = sql`select ${sql.ref(alias)}.* ${fromWhere(source, { conditions: recent.bounds })}
    order by ${sql.ref(`${alias}.${recent.column}`)} limit ${sql.lit(RECENT_ROWS + 1)}`
  const found = sql`(select count(*) from recent)`
  return sql`recent as materialized (${first}),
    matches as materialized (
      select ${sql.join(keyColumns)} ${fromWhere({ ...source, table: 'recent' }, query)} and ${found} <= ${sql.lit(RECENT_ROWS)}
      union all ${every} and ${found} > ${sql.lit(RECENT_ROWS)})`
}

function totalOf(source: PageSource, query: PageQuery): RawBuilder<Counted> {
  const kept = keptTotal(source, query)
  if (!kept) return sql`select count(*)::int as total, 0 as differences ${fromWhere(source, query)}`
  const mine = sql<boolean>`account_id = ${param('account')}`
  return sql`select coalesce(sum(n), 0)::int as total, (count(*) filter (where fresh))::int as differences
    from ${sql.table(tableOf(kept.tally))} where ${sql.join([mine, ...kept.conditions], sql` and `)}`
}

function keptTotal({ tally }: PageSource, { conditions, tallied }: PageQuery): PageQuery['tallied'] {
  return tally && conditions.length === 0 ? { tally, conditions: [] } : tallied
}

function fromWhere(
  { table, alias, always }: PageSource,
  { conditions }: Pick<PageQuery, 'conditions'>,
): RawBuilder<unknown> {
  const mine = sql<boolean>`${sql.ref(`${alias}.account_id`)} = ${param('account')}`
  const all = [mine, ...(always ? [always] : []), ...conditions]
  return sql`from ${sql.table(table)} as ${sql.ref(alias)} where ${sql.join(all, sql` and `)}`
}
