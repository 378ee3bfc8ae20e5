import { type EntityClass, type EntityManager, MikroORM } from '@mikro-orm/postgresql'
import pg from 'pg'
import { isoFromPostgres } from '../shared/time.js'
import { ormOptions } from './options.js'
import { type StatementListener, usePreparedStatements } from './prepare.js'

export interface DatabaseOptions {
  url: string
  entities: EntityClass<unknown>[]
  /** Connections at most. */
  poolSize: number
  /** How long a request waits for a free connection before it gives up with SERVICE_UNAVAILABLE. */
  acquireTimeoutMs: number
  log: (level: 'debug' | 'warn', message: string) => void
}

const TIMESTAMPTZ = 1184

/** The connection pool and the ORM on top of it; both send their statements through the same connections. */
export class Database {
  private constructor(
    readonly orm: MikroORM,
    readonly pool: pg.Pool,
    private readonly listening: { listener?: StatementListener },
  ) {}

  static async open({ url, entities, poolSize, acquireTimeoutMs, log }: DatabaseOptions): Promise<Database> {
    const listening: { listener?: StatementListener } = {}
    let pool!: pg.Pool
    const orm = await MikroORM.init({
      ...ormOptions(entities),
      clientUrl: url,
      pool: { min: 0, max: poolSize },
      logger: (message) => log('debug', message),
      driverOptions: {
        connectionTimeoutMillis: acquireTimeoutMs,
        idleTimeoutMillis: 30_000,
        application_name: 'fairlead',
        // One spelling of timestamps, whatever the server's or the database's own setting is.
        options: '-c timezone=UTC -c datestyle=ISO',
        onPoolCreated: (created: pg.Pool) => {
          pool = created
          readTimestampsAsIso(created)
          created.on('connect', (client) => usePreparedStatements(client, () => listening.listener))
          created.on('error', (error) => log('warn', `A database connection was lost: ${error.message}`))
        },
      },
    })
    await orm.connect()
    return new Database(orm, pool, listening)
  }

  /** A fresh unit of work. */
  fork(): EntityManager {
    return this.orm.em.fork({ clear: true, useContext: false })
  }

  /** Tells the listener of every statement from now on; undefined ends it. */
  listen(listener: StatementListener | undefined): void {
    this.listening.listener = listener
  }

  async close(): Promise<void> {
    await this.orm.close(true)
  }
}

function readTimestampsAsIso(pool: pg.Pool): void {
  const types = new pg.TypeOverrides(pool.options.types as pg.CustomTypesConfig)
  types.setTypeParser(TIMESTAMPTZ, isoFromPostgres)
  pool.options.types = types
}
