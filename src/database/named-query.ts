import pg from 'pg'

type Parse = (text: string) => unknown
type Decode = (cells: readonly (string | null)[]) => unknown
type Done = (error: Error | null | undefined, result: pg.QueryResult) => void

interface Connection {
  describe(message: object): void
}

/** The parts of the driver's query that its types leave out. */
interface DriverQuery {
  name: string
  _result: { fields: pg.FieldDef[]; _parsers?: Parse[]; rows: unknown[] }
  _canceledDueToError: unknown
  prepare(connection: Connection): void
  handleRowDescription(message: object): void
  handleDataRow(message: { fields: (string | null)[] }): void
}

const DriverQuery = pg.Query as unknown as new (text: string, values: unknown, done: Done) => DriverQuery

/** What is known of the rows of a prepared statement. */
interface Shape {
  fields: pg.FieldDef[]
  decode: Decode
}

/** What is known of a connection's prepared statements, by name. */
interface Known {
  shapes: Map<string, Shape>
  /** The connection, but deaf to the question what the rows are like. */
  undescribed: Connection
}

const known = new WeakMap<Connection, Known>()

/**
 * A run of a prepared statement. The driver asks each time what the rows are like, and prepares to read them; this does so
 * once for a connection. PostgreSQL refuses a prepared statement whose rows would have become others.
 */
export class NamedQuery extends DriverQuery {
  // These must not bear a name that the driver's own query has, such as `rows`.
  private connection!: Connection
  private shape?: Shape

  constructor(name: string, text: string, values: unknown, done: Done) {
    super(text, values, done)
    this.name = name
  }

  override prepare(connection: Connection): void {
    this.connection = connection
    const { shapes, undescribed } = knownOf(connection)
    this.shape = shapes.get(this.name)
    if (this.shape) this._result.fields = this.shape.fields
    super.prepare(this.shape ? undescribed : connection)
  }

  override handleRowDescription(message: object): void {
    super.handleRowDescription(message)
    const { fields, _parsers = [] } = this._result // a row without columns is read by nothing
    this.shape = { fields, decode: compileDecode(fields, _parsers) }
    knownOf(this.connection).shapes.set(this.name, this.shape)
  }

  override handleDataRow({ fields }: { fields: (string | null)[] }): void {
    if (this._canceledDueToError) return
    try {
      this._result.rows.push(this.shape!.decode(fields))
    } catch (error) {
      this._canceledDueToError = error
    }
  }
}

function knownOf(connection: Connection): Known {
  let found = known.get(connection)
  if (!found) {
    found = { shapes: new Map(), undescribed: Object.create(connection, { describe: { value: () => {} } }) }
    known.set(connection, found)
  }
  return found
}

const asText = pg.types.getTypeParser(pg.types.builtins.TEXT)

/** Makes a function that reads a row of these fields. Their names are those that our own statements give them. */
function compileDecode(fields: readonly pg.FieldDef[], parsers: readonly Parse[]): Decode {
  const members = fields.map(({ name }, i) => {
    const value = parsers[i] === asText ? `c[${i}]` : `c[${i}] === null ? null : p${i}(c[${i}])`
    return `${JSON.stringify(name)}: ${value}`
  })
  const names = parsers.map((_, i) => `p${i}`)
  return new Function(...names, `return (c) => ({ ${members.join(', ')} })`)(...parsers)
}
