import { AsyncLocalStorage } from 'node:async_hooks'
import type { KeyObject } from 'node:crypto'
import { type EntityClass, type EntityManager, MikroORM } from '@mikro-orm/postgresql'
import pg from 'pg'
import { ReadTurns } from '../shared/read-turns.js'
import { type Subscriber, Subscribers } from './announcements/subscription.js'
import { type Claim, cut, giveBackLostConnections, RequestPool, watchPool } from './connections/index.js'
import { type Figures, newFigures } from './figures.js'
import { Needs } from './needs.js'
import { Notices } from './notices.js'
import { ormOptions } from './options.js'
import { type PreparedQuery, type StatementListener, usePreparedStatements } from './prepare.js'
import { prepareRowSecurity, queryInTransaction, queryUnderRowSecurity } from './row-security.js'
import { loadSecret, signatureOf } from './secret.js'
import { Session } from './session.js'
import { compactTally, type Tally } from './tally/index.js'
import { bindToAccount } from './tenant.js'
import { readTimestampsAsIso } from './timestamps.js'

export interface DatabaseOptions {
  url: string
  /** Whether at this address is a pooler that hands server connections out for one transaction each. */
  pooled?: boolean
  /** The server itself, where there is a pooler before it; for what needs a connection of its own. */
  directUrl?: string
  /** The class of its connections, if not the driver's own. */
  Client?: typeof pg.Client
  entities: readonly EntityClass<unknown>[]
  /** Who listens to what services announce, in the order of the domains. */
  subscribers?: readonly Subscriber[]
  /** Connections for requests at most. */
  poolSize: number
  /** How long a request waits for a free connection before it gives up with SERVICE_UNAVAILABLE. */
  acquireTimeoutMs: number
  /** How long a statement of a request may take, and of that, how long it may wait for a lock. */
  statementMs?: number
  lockMs?: number
  /** Whether tenants' statements run behind PostgreSQL's row level security. */
  rowSecurity?: boolean
  log: (level: 'debug' | 'warn', message: string) => void
}

/** What connections of one's own may take. */
export interface AsideLimits {
  /** What for, as the server shows it among its connections. */
  name: string
  max: number
  /** How long a connection or an answer may take, in milliseconds, before it is given up. */
  answerMs: number
  /** Settings of the connections, such as `-c synchronous_commit=off`. */
  options?: readonly string[]
}

/** What remembers something of records. */
export interface Forgetter {
  forget(id: string): void
  forgetAll(): void
}

const STATEMENT_MS = 10_000
const LOCK_MS = 3000
// An answer may be that much later than the server's own limit for it.
const ANSWER_GRACE_MS = 2000
/** Connections for what no request waits for: background work, migrations, the operator's commands. */
export const BACKGROUND_CONNECTIONS = 3
// Work that outlives the request which noticed it is no part of that request.
const outside = AsyncLocalStorage.snapshot()
const LOOK_ANEW_MS = 500
// How long statements that still run may hold up the end of the process.
const CLOSE_MS = 500

/** The connections of requests, which are limited and shared out, and those of everything else, with the ORM on top. */
export class Database {
  private readonly compacting = new Map<string, Promise<void>>()
  private secret?: KeyObject
  /** What services need beside the database. */
  readonly needs = new Needs()
  /** In which order the reads of accounts come that ask for many. */
  readonly reads = new ReadTurns()
  private readonly forgetters: Forgetter[] = []
  private readonly notices: Notices

  private constructor(
    readonly orm: MikroORM,
    /** For what no request waits for: nothing limits how long it may take. */
    readonly pool: pg.Pool,
    readonly requests: RequestPool,
    private readonly clients: ReadonlySet<pg.PoolClient>,
    private readonly listening: { listener?: StatementListener },
    readonly rowSecurity: boolean,
    readonly subscribers: Subscribers,
    /** The class to make a connection of one's own with. */
    readonly Client: typeof pg.Client,
    private readonly connectAside: (limits: AsideLimits) => pg.Pool,
    log: DatabaseOptions['log'],
    /** What its connections have set. */
    readonly session: Session,
    /** Whether a connection that is made aside is one to the server itself, which it stays. */
    private readonly isDirect: boolean,
    /** What is counted of the work with it. */
    readonly figures: Figures,
  ) {
    this.notices = new Notices(pool, connectAside, log)
  }

  static async open({
    url,
    pooled = false,
    directUrl = url,
    Client = pg.Client,
    entities,
    subscribers,
    poolSize,
    acquireTimeoutMs,
    statementMs = STATEMENT_MS,
    lockMs = LOCK_MS,
    rowSecurity = false,
    log,
  }: DatabaseOptions): Promise<Database> {
    const session = new Session(pooled, { statementMs, lockMs })
    const aside = new Session(pooled && directUrl === url, { statementMs, lockMs })
    const listening: { listener?: StatementListener } = {}
    const clients = new Set<pg.PoolClient>()
    const figures = newFigures()
    const watch = (pool: pg.Pool) => {
      pool.on('connect', (client) => {
        clients.add(client)
        session.open(client)
        usePreparedStatements(client, figures, () => listening.listener, pooled)
      })
      pool.on('remove', (client) => clients.delete(client))
      pool.on('error', (error) => log('warn', `A database connection was lost: ${error.message}`))
    }
    const connection = {
      Client,
      connectionTimeoutMillis: acquireTimeoutMs,
      idleTimeoutMillis: 30_000,
      application_name: 'fairlead',
      pipeline: true, // a connection takes the next statement before the last is answered
      keepAlive: true, // or a peer that vanished without a word would be waited for for ever
      keepAliveInitialDelayMillis: 30_000,
    }
    let pool!: pg.Pool
    const orm = await MikroORM.init({
      ...ormOptions(entities),
      clientUrl: url,
      pool: { min: 0, max: BACKGROUND_CONNECTIONS },
      logger: (message) => log('debug', message),
      driverOptions: {
        ...connection,
        connectionString: session.address(url),
        onPoolCreated: (created: pg.Pool) => {
          pool = created
          watch(created)
          giveBackLostConnections(created)
          readTimestampsAsIso(created)
        },
      },
    })
    await orm.connect()
    const [unlimited, limited] = [session.address(url), session.address(url, { limited: true })]
    watchPool(pool, () => new Client({ ...connection, connectionString: unlimited }), log)
    const { types } = pool.options
    const requestPool = new pg.Pool({ ...connection, connectionString: limited, types, max: poolSize })
    watch(requestPool)
    const requests = new RequestPool({
      pool: requestPool,
      connect: () => new Client({ ...connection, connectionString: limited }),
      waitMs: acquireTimeoutMs,
      answerMs: statementMs + ANSWER_GRACE_MS,
      figures,
      log,
    })
    const connectAside = ({ name, max, answerMs, options = [] }: AsideLimits) => {
      const pool = new pg.Pool({
        ...connection,
        connectionString: aside.address(directUrl, { options }),
        application_name: `fairlead ${name}`,
        connectionTimeoutMillis: answerMs,
        query_timeout: answerMs,
        max,
      })
      pool.on('error', (error) => log('debug', `A database connection was lost: ${error.message}`))
      return pool
    }
    return new Database(
      orm,
      pool,
      requests,
      clients,
      listening,
      rowSecurity,
      new Subscribers(subscribers),
      Client,
      connectAside,
      log,
      session,
      !aside.pooled,
      figures,
    )
  }

  /** Connections for what is to wait neither for requests nor for the rest, until whoever wanted them ends the pool. */
  openAside(limits: AsideLimits): pg.Pool {
    return this.connectAside(limits)
  }

  /** What must be done after migrations and before the first tenant's statement. */
  async prepare(): Promise<void> {
    this.secret = await loadSecret(this.pool, 'cursor')
    if (this.rowSecurity) await prepareRowSecurity(this.pool)
  }

  /** A signature that all processes of the service make of these texts, and nobody else. */
  sign(...texts: string[]): Buffer {
    if (!this.secret) throw new Error('the database was not prepared')
    return signatureOf(this.secret, ...texts)
  }

  /** Has something told of records of which this process must not believe any more what it knew of them. */
  onForget(forgetter: Forgetter): void {
    this.forgetters.push(forgetter)
  }

  /** Tells whoever remembers something of a record to look anew: at once in this process, and soon in the others. */
  forget(id: string): void {
    this.forgetHere(id)
    this.notices.tell(id)
  }

  private forgetHere(id: string): void {
    for (const forgetter of this.forgetters) forgetter.forget(id)
  }

  /**
   * Hears what other processes have forgotten, until the end that it resolves to is called. A pooler lets nobody listen:
   * behind one, all that is remembered is looked up anew twice a second instead.
   */
  async hearOthers(): Promise<() => Promise<void>> {
    const missed = () => {
      for (const forgetter of this.forgetters) forgetter.forgetAll()
    }
    if (this.isDirect) return this.notices.listen((id) => this.forgetHere(id), missed)
    const looking = setInterval(missed, LOOK_ANEW_MS).unref()
    return async () => clearInterval(looking)
  }

  /** Runs a tenant's statement outside of a transaction. */
  queryFor(claim: Claim, query: PreparedQuery, walled = this.rowSecurity): Promise<pg.QueryResult> {
    const account = walled ? claim.account : undefined
    const work = (client: pg.PoolClient) => {
      if (this.session.pooled) return queryInTransaction(client, this.session.beginWith(account), query)
      return account === undefined ? client.query(query) : queryUnderRowSecurity(client, account, query)
    }
    const send = () => this.requests.use(claim, work)
    return claim.caller?.turn?.statement(send, this.requests.suspects(claim)) ?? send()
  }

  /** A fresh unit of work of an account. */
  forkFor(accountId: string): EntityManager {
    const em = this.fork()
    bindToAccount(em, accountId)
    return em
  }

  /** A fresh unit of work of the operator's, for records that belong to no account; tenants' ones are refused. */
  fork(): EntityManager {
    return this.orm.em.fork({ clear: true, useContext: false })
  }

  /** Tells the listener of every statement from now on; undefined ends it. */
  listen(listener: StatementListener | undefined): void {
    this.listening.listener = listener
  }

  /** Adds the differences of a tally up in the background, once for an account at a time. */
  compactSoon(tally: Tally, accountId: string): void {
    const name = `${tally.name} ${accountId}`
    if (this.compacting.has(name)) return
    const done = outside(() => compactTally(this.pool, tally, accountId))
      .catch(() => {}) // the next read that finds many differences tries again
      .finally(() => this.compacting.delete(name))
    this.compacting.set(name, done)
  }

  /** Waits for connections in use, but not for long: what still runs on them then is cut off. */
  async close(): Promise<void> {
    const patience = setTimeout(() => {
      for (const client of this.clients) cut(client)
    }, CLOSE_MS)
    await Promise.all([...this.compacting.values(), this.requests.close(), this.notices.settled()])
    await this.needs.release()
    await this.orm.close(true)
    clearTimeout(patience)
  }
}
