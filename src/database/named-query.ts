import pg from 'pg'

/**
 * Runs of prepared statements that do not ask anew what their rows are like. Beside the driver as it is that saves 13 to
 * 20 % of the server's CPU for getting one record, and 4 to 6 % for listing 50 (bench/README.md). This reaches into the
 * driver, so it was proven on one version of it, and a test fails on any other: read there what must hold, look at the
 * driver's lib/query.js and lib/result.js, and measure again.
 */
export const PROVEN_ON_PG = '8.23.1'

type Done = (error: Error | null | undefined, result: pg.QueryResult) => void

/** What the driver keeps of the description of rows, to read them by. */
interface Shape {
  fields: unknown
  _parsers: unknown
  _prebuiltEmptyResultObject: unknown
}

/** The parts of the driver's connection that its types leave out. */
interface Connection {
  parsedStatements: Record<string, string>
  describe(message: object): void
  close(message: { type: 'S'; name: string }): void
}

/** The parts of the driver's result that its types leave out. */
interface Result extends Shape {
  rowAsArray: boolean
  parseRow: unknown
  _parseRowAsArray: unknown
}

/** The parts of the driver's query that its types leave out. */
interface DriverQuery {
  name: string
  values: unknown[] | undefined
  _result: Result
  _accumulateRows: boolean
  prepare(connection: Connection): void
  handleRowDescription(message: object): void
}

const DriverQuery = pg.Query as unknown as new (text: string, values: undefined, done: Done) => DriverQuery

/** A named statement with its values; its rows are lists of values where it says so, else objects. */
export interface NamedConfig {
  name: string
  text: string
  values?: unknown[]
  rowMode?: 'array'
}

/** What is known of a connection's prepared statements, by name. */
interface Known {
  shapes: Map<string, Shape>
  /** The connection, but deaf to the question what the rows are like. */
  undescribed: Connection
}

const known = new WeakMap<Connection, Known>()

/**
 * A run of a prepared statement, described once for a connection. PostgreSQL refuses a prepared statement whose rows would
 * have become others.
 */
export class NamedQuery extends DriverQuery {
  // It must not bear a name that the driver's own query has, such as `rows`.
  private connection!: Connection

  // Given by its text and completed here, since the driver copies all that it is given by the descriptors of its
  // members, which took a thirtieth of the CPU for getting one record.
  constructor({ name, text, values, rowMode }: NamedConfig, done: Done) {
    super(text, undefined, done)
    this.name = name
    this.values = values
    if (rowMode !== 'array') return
    this._result.rowAsArray = true
    this._result.parseRow = this._result._parseRowAsArray
  }

  override prepare(connection: Connection): void {
    this.connection = connection
    const { shapes, undescribed } = knownOf(connection)
    const shape = shapes.get(this.name)
    if (shape) {
      Object.assign(this._result, shape)
      this._accumulateRows = true
    }
    super.prepare(shape ? undescribed : connection)
  }

  override handleRowDescription(message: object): void {
    super.handleRowDescription(message)
    const { fields, _parsers, _prebuiltEmptyResultObject } = this._result
    knownOf(this.connection).shapes.set(this.name, { fields, _parsers, _prebuiltEmptyResultObject })
  }
}

/**
 * Has a connection and PostgreSQL drop a prepared statement: the request goes out with the next statement, and is heeded
 * in a failed transaction too. One whose preparation is not confirmed stays, or the driver would believe that it is there.
 */
export function forget(client: pg.PoolClient, name: string): void {
  const { connection } = client as unknown as { connection: Connection }
  if (!(name in connection.parsedStatements)) return
  connection.close({ type: 'S', name })
  delete connection.parsedStatements[name]
  known.get(connection)?.shapes.delete(name)
}

function knownOf(connection: Connection): Known {
  let found = known.get(connection)
  if (!found) {
    found = { shapes: new Map(), undescribed: Object.create(connection, { describe: { value: () => {} } }) }
    known.set(connection, found)
  }
  return found
}
