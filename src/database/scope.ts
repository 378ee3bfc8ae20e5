import type { EntityManager } from '@mikro-orm/postgresql'
import { CompiledQuery } from 'kysely'
import type { Database } from './database.js'
import { isRetryable } from './failures.js'
import type { Statement } from './statement.js'

const ATTEMPTS = 4

/** Thrown inside a transaction to have it run again from its start, when the next try will see what this one could not. */
export class RunAgain extends Error {}

/** The database as one request sees it: the reads and writes of one account, in one transaction when one is open. */
export class Scope {
  private open?: EntityManager
  private readonly ids = new Set<string>()

  constructor(
    private readonly database: Database,
    readonly accountId: string,
  ) {}

  /** Runs a compiled read with its values and returns the rows. */
  async rows<Row>(statement: Statement<Row>, values: Readonly<Record<string, unknown>>): Promise<Row[]> {
    const parameters = statement.bind(values)
    const transaction = this.open?.getTransactionContext()
    const result = transaction
      ? await transaction.executeQuery(CompiledQuery.raw(statement.text, parameters))
      : await this.database.pool.query(statement.text, parameters)
    return result.rows as Row[]
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
    await em.begin()
    this.open = em
    this.ids.clear()
    try {
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
