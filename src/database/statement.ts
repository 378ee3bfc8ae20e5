import { type CompiledQuery, DummyDriver, type Kysely, type QueryExecutorProvider, sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type pg from 'pg'
import { kyselyOn } from './dialect.js'
import { type Keep, nameOf, type PreparedQuery } from './prepare.js'

/** Stands in a query for a value that is known only when it runs. */
class Placeholder {
  constructor(readonly name: string) {}
}

/** A value that the statement gets at each run, by name. Typed as anything, since Kysely compares it with a column. */
// biome-ignore lint/suspicious/noExplicitAny: it stands for a value of whatever column it is compared with
export function param(name: string): any {
  return new Placeholder(name)
}

/**
 * For what a statement returns that is a transaction of its own: PostgreSQL answers before its commit is on the disk, which
 * comes with the next one that waits for that, or within less than a second. For leases alone: what they are taken for is
 * committed after them, and with it they are.
 */
export const flushedLater = sql<string>`set_config('synchronous_commit', 'off', true)`

/** A Kysely that only builds queries; the scope runs them. */
export function builder<Tables>(): Kysely<Tables> {
  return kyselyOn(new DummyDriver())
}

/** A built query: of Kysely's builder, or of its `sql` template, which wants to be told who compiles it. */
interface Query<Row> {
  compile(compiler: QueryExecutorProvider): CompiledQuery<Row>
}

const compiler = builder<unknown>()

/** A query compiled once, to be run many times with other values. */
export class Statement<Row> {
  readonly text: string
  /** How long connections keep it prepared. */
  readonly keep: Keep
  private readonly parameters: readonly unknown[]
  private name?: string
  private toRow?: (values: unknown[]) => Row
  /** Whether it is about the records of an agency. */
  readonly ofAgency: boolean
  declare readonly row: Row // only a type: what a run returns

  /**
   * Refuses a query without param('account') or param('agency'), which the scope fills in: every one is about the records
   * of an account, or of an agency, but for those few by which the service finds out whose record something is, which say
   * `ofService`.
   *
   * `prepared` only when one plan serves all values: never with a pattern or a range among them.
   */
  constructor(query: Query<Row>, { prepared = false, ofService = false } = {}) {
    const compiled = query.compile(compiler)
    this.text = compiled.sql
    this.parameters = compiled.parameters
    const names = (name: string) => this.parameters.some((p) => p instanceof Placeholder && p.name === name)
    this.ofAgency = names('agency')
    if (!this.ofAgency && !names('account') && !ofService)
      throw new Error(`a statement does not name the account: ${this.text}`)
    this.keep = prepared ? 'for good' : 'never'
  }

  /** The statement with its values; `stored` tells that a stored operation asks for it. */
  with(values: Readonly<Record<string, unknown>>, stored: boolean): PreparedQuery {
    const given = this.parameters.map((p) => (p instanceof Placeholder ? values[p.name] : p))
    this.name ??= nameOf(this.text)
    return { text: this.text, values: given, keep: this.keptFor(stored), name: this.name, rowMode: 'array' }
  }

  /** The rows of a run, which come as lists of values. */
  rowsOf({ fields, rows }: pg.QueryArrayResult): Row[] {
    this.toRow ??= rowMaker(fields.map(({ name }) => name))
    return rows.map(this.toRow)
  }

  protected keptFor(_stored: boolean): Keep {
    return this.keep
  }
}

/**
 * Makes a function that makes an object with these members out of a list of their values. It is written out for them,
 * since the members are known: to set them one by one, by names that could be any, took a tenth of a long list's CPU.
 */
function rowMaker<Row>(names: readonly string[]): (values: unknown[]) => Row {
  const members = names.map((name, i) => `${JSON.stringify(name)}: values[${i}]`)
  return new Function('values', `return { ${members.join(', ')} }`) as (values: unknown[]) => Row
}

/**
 * A statement whose text depends on what a caller selects. Stored operations select only so much, so what they ask for
 * is kept prepared for good; what others ask for, as long as it is asked for often.
 */
export class ShapedStatement<Row> extends Statement<Row> {
  declare readonly shaped: true // only a type: that it may be kept in a cache of shapes

  protected override keptFor(stored: boolean): Keep {
    return this.keep === 'never' || stored ? this.keep : 'while used'
  }
}

/** Keeps what is made for each shape of a read, those in use longest; a shape is a text that names everything but the values. */
export class ShapeCache<Made extends object> {
  private readonly known: LRUCache<string, Made>

  constructor(max = 300) {
    this.known = new LRUCache({ max })
  }

  get(shape: string, make: () => Made): Made {
    let made = this.known.get(shape)
    if (made === undefined) {
      made = make()
      this.known.set(shape, made)
    }
    return made
  }
}

/** Keeps the statement of each shape of a read. */
export class StatementCache<Row> extends ShapeCache<ShapedStatement<Row>> {}
