/** A PgBouncer in transaction mode. */
export interface LocalPgBouncer {
  /** The address of a database behind it. */
  urlOf(database: string): string
  stop(): Promise<void>
}

export function startPgBouncer(serverUrl: string, options?: { poolSize?: number }): Promise<LocalPgBouncer>
