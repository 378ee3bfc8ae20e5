import type { EntityManager } from '@mikro-orm/postgresql'
import { CompiledQuery, sql } from 'kysely'
import type { Database } from './database.js'
import { isRetryable, RunAgain } from './failures.js'
import { ENTER_TRANSACTION } from './row-security.js'
import { param, Statement } from './statement.js'
import { COMPACT_AFTER, type Tally } from './tally/index.js'
import { bindToAccount } from './tenant.js'

const ATTEMPTS = 4

const horizon = new Statement<{ horizon: string }>(
  sql<{ horizon: string }>`select sync_horizon(${param('account')})::text as horizon`,
)

/** The database as one request sees it: the reads and writes of one account, in one transaction when one is open. */
export class Scope {
  private open?: EntityManager
  private readonly ids = new Set<string>()

  constructor(
    private readonly database: Database,
    readonly accountId: string,
  ) {}

  /** Runs a compiled statement with its values and returns the rows; the account's id is always the scope's own. */
  async rows<Row>(statement: Statement<Row>, values: Readonly<Record<string, unknown>>): Promise<Row[]> {
    const parameters = statement.bind({ ...values, account: this.accountId })
    const transaction = this.open?.getTransactionContext()
    const result = transaction
      ? await transaction.executeQuery(CompiledQuery.raw(statement.text, parameters))
      : await this.database.queryFor(this.accountId, statement.text, parameters)
    return result.rows as Row[]
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

  /** Notes that the open transaction created or changed a record of this id, for whoever keeps books on it. */
  wrote(id: string): void {
    this.ids.add(id)
  }

  /** The ids of what was written so far. */
  get written(): string[] {
    return [...this.ids]
  }

  /**
   * Runs a use case in one transaction, or inside the one that is open. Serialization failures and deadlocks run it
   * again with a fresh unit of work, so the function must not keep state outside.
   */
  async transaction<T>(work: (em: EntityManager) => Promise<T>): Promise<T> {
    if (this.open) return work(this.open)
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.attempt(work)
      } catch (error) {
        if (attempt >= ATTEMPTS || !(error instanceof RunAgain || isRetryable(error))) throw error
      }
    }
  }

  private async attempt<T>(work: (em: EntityManager) => Promise<T>): Promise<T> {
    const em = this.database.fork()
    bindToAccount(em, this.accountId)
    await em.begin()
    this.open = em
    this.ids.clear()
    try {
      if (this.database.rowSecurity) await enterWall(em, this.accountId)
      const result = await work(em)
      await em.commit()
      return result
    } catch (error) {
      await em.rollback()
      throw error
    } finally {
      this.open = undefined
    }
  }
}

async function enterWall(em: EntityManager, accountId: string): Promise<void> {
  await em.getTransactionContext().executeQuery(CompiledQuery.raw(ENTER_TRANSACTION, [accountId]))
}
