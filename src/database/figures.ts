import type pg from 'pg'

/** What is counted of the work with the database. */
export interface Figures {
  /** Statements that were sent. */
  statements: number
  /** Hears how many seconds somebody waited for a connection who did not get one at once. */
  waited(seconds: number): void
  /** Hears how long a piece of background work took, by its name, and whether it failed. */
  worked(name: string, seconds: number, failed: boolean): void
}

/** Figures of nothing yet, and of which nobody hears. */
export const newFigures = (): Figures => ({ statements: 0, waited: () => {}, worked: () => {} })

/** A connection that counts what is sent over it. */
type Counting = pg.PoolClient & { statementsSent?: number }

/** Counts a statement that is about to be sent. */
export function countStatement(client: pg.PoolClient, figures: Figures): void {
  const counting = client as Counting
  counting.statementsSent = (counting.statementsSent ?? 0) + 1
  figures.statements++
}

/** How many statements were sent over a connection so far. */
export const statementsOver = (client: pg.PoolClient): number => (client as Counting).statementsSent ?? 0
