import { setTimeout as delay } from 'node:timers/promises'
import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import type pg from 'pg'
import { NIL_ID } from '../shared/ids.js'
import { insider, NO_ACCOUNT, type Viewer } from '../shared/viewer.js'
import { type Warning, Warnings } from '../shared/warnings.js'
import type { Fact, FactIds } from './announcements/fact.js'
import { storeFact } from './announcements/store.js'
import { kyselyOver } from './client-dialect.js'
import { type Claim, cut, sendTogether } from './connections/index.js'
import type { Database } from './database.js'
import { isRetryable, RunAgain } from './failures.js'
import type { Need } from './needs.js'
import type { Caller, ScopeOptions } from './scope-options.js'
import { requireStanding } from './standing.js'
import { param, Statement } from './statement.js'
import { COMPACT_AFTER, type Tally } from './tally/index.js'
import { causeOf, type Open, pauseAfter, settled } from './under-way.js'

const ATTEMPTS = 4

const horizon = new Statement<{ horizon: string }>(
  sql<{ horizon: string }>`select sync_horizon(${param('account')})::text as horizon`,
)

/** The database as one request sees it: the reads and writes of one account, in one transaction when one is open. */
export class Scope {
  readonly accountId: string
  private open?: Open
  private readonly ids = new Set<string>()
  /** Set when an answer that is kept with the open transaction holds what is known only after its commit. */
  promised = false
  private readonly warnings: Warnings
  private readonly walled: boolean
  private readonly stored: boolean
  private readonly caller?: Caller
  private readonly agency?: string

  constructor(
    private readonly database: Database,
    /** Who acts, and as whom all this is done. */
    readonly viewer: Viewer,
    { warnings = new Warnings(), walled = database.rowSecurity, stored = false, caller, agencyId }: ScopeOptions = {},
  ) {
    this.accountId = viewer.accountId
    this.warnings = warnings
    this.walled = walled
    this.stored = stored
    this.caller = caller
    this.agency = agencyId
  }

  /** The operator's view of an account at the command line: also of one that is not there yet, and past row level security. */
  static ofOperator(database: Database, accountId: string): Scope {
    return new Scope(database, insider('command', accountId), { walled: false })
  }

  /**
   * The service's own view of an account, for what it does by itself; of no account (NO_ACCOUNT), past row level security,
   * for what concerns people before it is known whose they are.
   */
  static ofSystem(database: Database, accountId: string): Scope {
    return new Scope(database, insider('system', accountId), accountId === NO_ACCOUNT ? { walled: false } : {})
  }

  /** The network address that the caller calls from, where that is known. */
  get address(): string | undefined {
    return this.caller?.address || undefined
  }

  /** The tool by which an AI assistant calls, if one does. */
  get tool(): string | undefined {
    return this.caller?.tool
  }

  /**
   * An agency's view: of its own records, and of the account that is named, which may be one that it is about to create.
   * Row level security knows accounts alone and hides the records of agencies; every statement on them names the agency.
   */
  static ofAgency(database: Database, agencyId: string, options: ScopeOptions & { accountId?: string } = {}): Scope {
    const viewer = insider('system', options.accountId ?? NIL_ID)
    return new Scope(database, viewer, { ...options, agencyId, walled: false })
  }

  /** The same view again, for what runs side by side with this one: a transaction of its own is open in each. */
  beside(): Scope {
    const { database, viewer, warnings, walled, stored, caller, agency: agencyId } = this
    return new Scope(database, viewer, { warnings, walled, stored, caller, agencyId })
  }

  /** The service's view of no account, on behalf of the same caller: whatever account that may have, it is not concerned. */
  ofNobody(): Scope {
    const { warnings, caller } = this
    return new Scope(this.database, insider('system', NO_ACCOUNT), { warnings, caller, walled: false })
  }

  /** The records of an agency as the same viewer sees them: an operator, who may see those of all. */
  forAgency(agencyId: string): Scope {
    return new Scope(this.database, this.viewer, { caller: this.caller, agencyId, walled: false })
  }

  /** The agency whose records are seen; throws where there is none. */
  get agencyId(): string {
    if (this.agency === undefined) throw new Error('this is no view of an agency')
    return this.agency
  }

  /**
   * Tells the caller what is odd about an input, by its GraphQL path, and what was done about it: `warn(['input',
   * 'phone'], 'is no phone number', ' and was left out')`. A caller who wants none of that gets VALIDATION_ERROR instead.
   */
  warn(path: Warning['path'], oddity: string, treatment: string): void {
    this.warnings.add(path, oddity, treatment)
  }

  /** What a service needs beside the database, as the start of the process handed it in. */
  get<T>(need: Need<T>): T {
    return this.database.needs.get(need)
  }

  /** A signature of texts that only the service can make, and of this account alone. */
  sign(...texts: string[]): Buffer {
    return this.database.sign(this.accountId, ...texts)
  }

  /** Runs a compiled statement with its values; `account`, `agency` and the viewer's `ownerScope` are always the scope's own. */
  async rows<Row>(statement: Statement<Row>, values: Readonly<Record<string, unknown>>): Promise<Row[]> {
    const { accountId: account, viewer } = this
    const mine = { account, ownerScope: viewer.ownerScope }
    const own = statement.ofAgency ? { ...mine, agency: this.agencyId } : mine
    const query = statement.with({ ...values, ...own }, this.stored)
    const result = this.open
      ? await this.open.client.query(query)
      : await this.database.queryFor(this.claim(query.name), query, this.walled)
    return statement.rowsOf(result as unknown as pg.QueryArrayResult)
  }

  /** Sends a statement of the open transaction without waiting: should it fail, the transaction does. `wakes` workers then. */
  send(statement: Statement<never>, values: Readonly<Record<string, unknown>>, { wakes = false } = {}): void {
    if (!this.open) throw new Error('only an open transaction takes statements without waiting')
    sendTogether(this.open.client)
    this.open.wakes ||= wakes
    this.open.underWay.push(settled(this.rows(statement, values)))
  }

  /**
   * The instant up to which nothing of the account can still appear: whoever reads in the order of updated_at may go on
   * from what was seen up to here without missing what slower writers commit later.
   */
  async syncHorizon(): Promise<string> {
    return (await this.rows(horizon, {}))[0]!.horizon
  }

  /** Tells how many differences a read had to add up for a total; many of them are compacted in the background. */
  readTally(tally: Tally, differences: number): void {
    if (differences > COMPACT_AFTER) this.database.compactSoon(tally, this.accountId)
  }

  /** Has this process forget, once the open transaction is committed, what it remembers of a credential or its user. */
  forget(id: string): void {
    if (!this.open) throw new Error('only an open transaction makes that something is to be forgotten')
    this.open.outdated.push(id)
  }

  /** Whether a transaction is open, which commits what is done now at its own end. */
  get inTransaction(): boolean {
    return this.open !== undefined
  }

  /** Notes that the open transaction created or changed a record of this id, for whoever keeps books on it. */
  wrote(id: string): void {
    this.ids.add(id)
  }

  /** The ids of what was written so far. */
  get written(): string[] {
    return [...this.ids]
  }

  /**
   * Tells the domains above what has happened to a record that the open transaction holds: they do their part inside the
   * same transaction, or hear of it after its commit, which costs no trip to the database. The fact is announced while the
   * record is still there, be it about to go; `stored` by a statement that did that itself.
   */
  async announce<Ids extends FactIds>(announced: Fact<Ids>, ids: NoInfer<Ids>, { stored = false } = {}): Promise<void> {
    const fact = announced as unknown as Fact
    if (!this.open) throw new Error(`${fact.name} was announced outside of the transaction that makes it so`)
    const { subscribers } = this.database
    for (const handle of subscribers.within(fact)) await handle(this, ids)
    const later = subscribers.after(fact)
    if (later.length === 0) return
    this.open.wakes = true
    if (stored) return
    const record = ids[announced.record]
    this.send(storeFact, { subscribers: later, fact: fact.name, record, ids: JSON.stringify(ids) })
  }

  /** The domains that are to hear of a fact after the commit, for a statement that stores it itself. */
  hearing<Ids extends FactIds>(fact: Fact<Ids>): readonly string[] {
    return this.database.subscribers.after(fact as unknown as Fact)
  }

  /** Runs a use case in one transaction with a unit of work, which is flushed at its end; see `transaction`. */
  unitOfWork<T>(work: (em: EntityManager) => Promise<T>): Promise<T> {
    return this.transaction(async () => {
      const em = this.entityManager()
      const result = await work(em)
      await em.flush()
      return result
    })
  }

  /**
   * Runs a use case in one transaction, or inside the one that is open. Serialization failures, deadlocks and references
   * to what has just been deleted run it again from its start, after a pause, so the function must not keep state outside.
   */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    if (this.open) return work()
    const told = this.warnings.list.length
    for (let attempt = 1; ; attempt++) {
      this.warnings.takeBack(told)
      try {
        return await this.attempt(work)
      } catch (error) {
        if (!(error instanceof RunAgain || isRetryable(error))) throw error
        if (attempt >= ATTEMPTS) throw (error instanceof RunAgain && error.lost) || error
        await delay(pauseAfter(attempt))
      }
    }
  }

  /**
   * Carries out a use case and takes back all that it did; resolves to the error that it ended with, if any. Inside an open
   * transaction that is left to whoever opened it, who has to fail after this.
   */
  async rehearse(work: () => Promise<unknown>): Promise<unknown> {
    const taken = new Error('taken back')
    const carryOut = async () => {
      await work()
      throw taken
    }
    const error = await (this.open ? carryOut() : this.attempt(carryOut)).catch((error: unknown) => error)
    return error === taken ? undefined : error
  }

  /**
   * What needs no answer to go on is sent along with what follows, such as `begin` with the first statement: each is a
   * trip to the database less.
   */
  private attempt<T>(work: () => Promise<T>): Promise<T> {
    return this.database.requests.use(this.claim(this.caller?.kind ?? 'transaction'), (client) =>
      this.within(client, work),
    )
  }

  private async within<T>(client: pg.PoolClient, work: () => Promise<T>): Promise<T> {
    sendTogether(client)
    const open: Open = { client, underWay: [settled(client.query('begin'))], outdated: [] }
    const settings = this.database.session.enter(this.walled ? this.accountId : undefined)
    if (settings) open.underWay.push(settled(client.query(settings)))
    this.open = open
    this.ids.clear()
    this.promised = false
    try {
      await this.requireStanding()
      const result = await work()
      const [ending] = await Promise.all([client.query('commit'), ...open.underWay])
      if (ending.command !== 'COMMIT') throw new Error('the transaction was rolled back')
      if (open.wakes) this.database.subscribers.stored()
      for (const id of open.outdated) this.database.forget(id)
      return result
    } catch (error) {
      await client.query('rollback').catch(() => cut(client))
      throw await causeOf(error, open)
    } finally {
      this.open = undefined
    }
  }

  /** Makes sure, inside the open transaction, that the viewer may still do what outlasts the call. */
  async requireStanding(): Promise<void> {
    const permission = this.caller?.lasting
    if (permission !== undefined) await this.get(requireStanding)(this, permission)
  }

  private claim(kind: string): Claim {
    return { account: this.agency ?? this.accountId, kind, caller: this.caller }
  }

  private entityManager(): EntityManager {
    const open = this.open!
    if (!open.em) {
      open.em = this.database.forkFor(this.accountId)
      open.em.setTransactionContext(kyselyOver(open.client))
    }
    return open.em
  }
}
