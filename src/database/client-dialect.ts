import { CompiledQuery, type DatabaseConnection, type Driver, type Kysely } from 'kysely'
import type pg from 'pg'
import { kyselyOn } from './dialect.js'

/** A Kysely over one connection that somebody else took and gives back: what the ORM needs to join a transaction. */
export function kyselyOver(client: pg.PoolClient): Kysely<unknown> {
  return kyselyOn(new OneConnection(client))
}

class OneConnection implements Driver {
  private readonly connection: DatabaseConnection

  constructor(client: pg.PoolClient) {
    this.connection = {
      executeQuery: async ({ sql, parameters }) => {
        const { rows, rowCount, command } = await client.query(sql, [...parameters])
        return command === 'SELECT' ? { rows } : { rows, numAffectedRows: BigInt(rowCount ?? 0) }
      },
      streamQuery: () => {
        throw new Error('nothing is streamed inside a transaction')
      },
    }
  }

  async init(): Promise<void> {}
  async acquireConnection(): Promise<DatabaseConnection> {
    return this.connection
  }
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}

  // Whoever took the connection begins and ends its transaction; a savepoint is all that can nest in it.
  async beginTransaction(): Promise<void> {
    throw new Error('the transaction has begun already')
  }
  async commitTransaction(): Promise<void> {
    throw new Error('the transaction is not ours to commit')
  }
  async rollbackTransaction(): Promise<void> {
    throw new Error('the transaction is not ours to roll back')
  }
  async savepoint(connection: DatabaseConnection, name: string): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(`savepoint "${name}"`))
  }
  async rollbackToSavepoint(connection: DatabaseConnection, name: string): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(`rollback to "${name}"`))
  }
  async releaseSavepoint(connection: DatabaseConnection, name: string): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(`release "${name}"`))
  }
}
