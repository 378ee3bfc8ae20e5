import type DataLoader from 'dataloader'
import { type RawBuilder, sql } from 'kysely'
import { isUuid } from '../shared/ids.js'
import { type Pagination, pagingOf } from '../shared/paging.js'
import { columnOf } from './columns.js'
import type { Context } from './context.js'
import { contains } from './filters.js'
import { loaderOf } from './loader.js'
import { PageReader, type SortKey } from './page.js'
import type { Scope } from './scope.js'
import { param, Statement } from './statement.js'

/** A table of records that have names, and that people look up by them. */
export interface CatalogueSource {
  table: string
  /** What is read of a record, as expressions over the table under the alias `t`; the id must be among them. */
  columns: readonly RawBuilder<unknown>[]
  /** Whether a deleted record stays, marked by deleted_at, so that what refers to it can still name it. */
  keepsDeleted?: boolean
  /** The order of the list; by name without regard to case and accents if left out. */
  sort?: SortKey
  /** Texts beside the name that a search looks through. */
  searched?: readonly RawBuilder<unknown>[]
}

export interface CatalogueQuery {
  search?: string | null
  isActive?: boolean | null
  page: number
  limit: number
}

export type CatalogueRow = { id: string }

const BY_NAME: SortKey = { column: 'name_key', nullable: false, descending: false }

/** Columns of the alias `t` under the names of the properties that they are stored from. */
export function columnsOf(...properties: string[]): RawBuilder<unknown>[] {
  return properties.map((name) => sql`${sql.ref(`t.${columnOf(name)}`)} as ${sql.ref(name)}`)
}

/** The reads of a catalogue: pages of its list, one record, and the records that others refer to. */
export class Catalogue<Row extends CatalogueRow> {
  /** Makes a request's loader of records by id, deleted ones among them; null where the account has none of that id. */
  readonly loader: (context: Context) => DataLoader<string, Row | null>

  private readonly pages: PageReader<Row>
  private readonly one: Statement<Row>
  private readonly matching: RawBuilder<boolean>

  constructor(private readonly source: CatalogueSource) {
    const { table, columns, keepsDeleted = false, searched = [] } = source
    const live = sql<boolean>`t.deleted_at is null`
    const from = sql`select ${sql.join(columns)} from ${sql.table(table)} t where t.account_id = ${param('account')}`
    this.pages = new PageReader<Row>({ table, alias: 't', always: keepsDeleted ? live : undefined })
    const byId = sql<Row>`${from} and t.id = ${param('id')} ${keepsDeleted ? sql`and ${live}` : sql``}`
    this.one = new Statement(byId, { prepared: true })
    const byIds = new Statement(sql<Row>`${from} and t.id = any(${param('ids')}::uuid[])`, { prepared: true })
    this.loader = loaderOf(byIds)
    const texts = [sql`t.name_key`, ...searched.map((text) => sql`fold(${text})`)]
    const found = texts.map((text) => contains(text, 'search'))
    this.matching = sql<boolean>`(${sql.join(found, sql` or `)})`
  }

  /** Whether a deleted record stays, marked as such. */
  get keepsDeleted(): boolean {
    return this.source.keepsDeleted === true
  }

  /** One page of the account's records, without the deleted ones, with the exact total. */
  list(
    db: Scope,
    { search, isActive, page, limit }: CatalogueQuery,
  ): Promise<{ items: Row[]; pagination: Pagination }> {
    const conditions: RawBuilder<boolean>[] = []
    if (search) conditions.push(this.matching)
    if (typeof isActive === 'boolean') conditions.push(sql`t.is_active = ${param('isActive')}`)
    const { sort = BY_NAME, columns } = this.source
    const shape = `${search ? 'found' : 'all'} ${typeof isActive === 'boolean'}`
    return this.pages.read(db, pagingOf(page, limit), shape, () => ({ conditions, sort, columns }), {
      search,
      isActive,
    })
  }

  /** The account's record of this id; null where there is none, or it was deleted. */
  async find(db: Scope, id: string): Promise<Row | null> {
    return (isUuid(id) && (await db.rows(this.one, { id }))[0]) || null
  }
}
