import { type CompiledQuery, DummyDriver, type Kysely, type QueryExecutorProvider } from 'kysely'
import { kyselyOn } from './dialect.js'
import { prepareText } from './prepare.js'

/** Stands in a query for a value that is known only when it runs. */
class Placeholder {
  constructor(readonly name: string) {}
}

/** A value that the statement gets at each run, by name. Typed as anything, since Kysely compares it with a column. */
// biome-ignore lint/suspicious/noExplicitAny: it stands for a value of whatever column it is compared with
export function param(name: string): any {
  return new Placeholder(name)
}

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
  private readonly parameters: readonly unknown[]
  declare readonly row: Row // only a type: what a run returns

  /**
   * Refuses a query without param('account'), which the scope fills in: every one is about the records of an account.
   *
   * `prepared` only when one plan serves all values: never with a pattern or a range among them.
   */
  constructor(query: Query<Row>, { prepared = false } = {}) {
    const compiled = query.compile(compiler)
    this.text = compiled.sql
    this.parameters = compiled.parameters
    const scoped = this.parameters.some((p) => p instanceof Placeholder && p.name === 'account')
    if (!scoped) throw new Error(`a statement does not name the account: ${this.text}`)
    if (prepared) prepareText(this.text)
  }

  bind(values: Readonly<Record<string, unknown>>): unknown[] {
    return this.parameters.map((p) => (p instanceof Placeholder ? values[p.name] : p))
  }
}

/** Keeps what is made for each shape of a read; a shape is a text that names everything but the values. */
export class ShapeCache<Made> {
  private readonly known = new Map<string, Made>()

  constructor(private readonly capacity = 500) {}

  get(shape: string, make: () => Made): Made {
    let made = this.known.get(shape)
    if (made === undefined) {
      made = make()
      if (this.known.size >= this.capacity) this.known.delete(this.known.keys().next().value as string)
      this.known.set(shape, made)
    }
    return made
  }
}

/** Keeps the statement of each shape of a read. */
export class StatementCache<Row> extends ShapeCache<Statement<Row>> {}
