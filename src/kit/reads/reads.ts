import { type RawBuilder, sql } from 'kysely'
import { type Scope, ShapedStatement, Statement, StatementCache } from '../../database/index.js'
import { isUuid } from '../../shared/ids.js'
import type { Paging } from '../../shared/paging.js'
import type { Selection } from '../selection.js'
import type { Declaration } from './declaration.js'
import { all, manyByIds, oneById } from './forms/single.js'
import { type ListQuery, Lists, type PageOf, type Reader } from './lists.js'
import { childLoader, type LoaderOf, recordLoader } from './loader.js'
import { hasOwn, isConfined, ownCondition } from './own.js'
import { own, type RecordType, recordOf } from './record.js'
import { Shapes } from './shape.js'

type Children<Row> = { readonly [Name in keyof Row]-?: LoaderOf<Exclude<Row[Name], undefined>> }

/** The reads of a record, made from its one declaration. Each list and each single read is one statement. */
export class Reads<Row extends { id: string }, Filters extends object = object, By extends string = string> {
  /** A loader of records by id, deleted ones among them, without what belongs to them; null where there is none. */
  readonly loader: LoaderOf<Row | null>
  /** Loaders of what belongs to records that were reached without it. */
  readonly children: Children<Row>

  private readonly record: RecordType
  private readonly shapes: Shapes
  private readonly lists: Lists<Row>
  private readonly singles = new StatementCache<Row>()

  constructor(declaration: Declaration<Row, By>) {
    this.record = recordOf(declaration)
    this.shapes = new Shapes(this.record)
    this.lists = new Lists(this.record, this.shapes)
    const { children, entity } = this.record
    this.loader = recordLoader((confined) => {
      const query = manyByIds(this.record, this.shapes.one(confined), confined ? ownCondition(entity, own) : [])
      return new Statement(query as RawBuilder<Row>, { prepared: true })
    })
    const loaders = children.map(([name, child]) => [name, childLoader(this.record, child)])
    this.children = Object.fromEntries(loaders) as Children<Row>
  }

  /** Whether a deleted record stays, marked as such. */
  get keepsDeleted(): boolean {
    return this.record.keepsDeleted
  }

  /** One page of the account's records: see `Lists`. */
  list(reader: Reader, query: ListQuery<Filters, By>, selection?: Selection): Promise<PageOf<Row>> {
    return this.lists.read(reader, query as ListQuery<object, string>, selection)
  }

  /** A page, by its number, of a list in its usual order whose records and total were read otherwise. */
  pageOf(db: Scope, filter: Filters, paging: Paging, items: Row[], total: number): PageOf<Row> {
    return this.lists.pageOf(db, filter, paging, items, total)
  }

  /** The account's record of this id with what the selection asks for; undefined where there is none, or it was deleted. */
  async find(db: Scope, id: string, selection?: Selection): Promise<Row | undefined> {
    if (!isUuid(id)) return undefined
    const { keepsDeleted, entity, only } = this.record
    const confined = isConfined(db)
    const shape = this.shapes.one(confined, selection)
    const statement = this.singles.get(shape.key, () => {
      const live = keepsDeleted ? [sql<boolean>`r.deleted_at is null`] : []
      return prepared<Row>(
        oneById(this.record, shape, [...only, ...live, ...(confined ? ownCondition(entity, own) : [])]),
      )
    })
    return (await db.rows(statement, { id }))[0]
  }

  /** A read of all records of the account in an order, for what has no pages. */
  inOrder(order: RawBuilder<unknown>): (db: Scope, selection?: Selection) => Promise<Row[]> {
    if (hasOwn(this.record.entity)) throw new Error('sellers see only some of these records: list them in pages')
    const statements = new StatementCache<Row>()
    return (db, selection) => {
      const shape = this.shapes.one(isConfined(db), selection)
      return db.rows(
        statements.get(shape.key, () => prepared<Row>(all(this.record, shape, order))),
        {},
      )
    }
  }
}

function prepared<Row>(query: RawBuilder<unknown>): ShapedStatement<Row> {
  return new ShapedStatement(query as RawBuilder<Row>, { prepared: true })
}
