import { readFileSync, statSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '../../src/database/index.js'

// PostgreSQL adds the figures of its backends up once a second.
const TOLD_MS = 1200

/** What is found where there was no deadlock. */
export const NONE = { count: 0, log: [] }

/** The deadlocks that PostgreSQL breaks in a database: how many, and of each which statements stopped each other. */
export class Deadlocks {
  private constructor(
    private readonly database: Database,
    private readonly name: string,
    private readonly before: number,
    private readonly logged: number,
  ) {}

  /** Looks from now on. */
  static async watch(database: Database): Promise<Deadlocks> {
    const { rows } = await database.pool.query('select current_database() as name')
    return new Deadlocks(database, rows[0].name, await countIn(database), logSize())
  }

  /** How many there were so far, and what the log says of them. */
  async found(): Promise<{ count: number; log: string[] }> {
    await delay(TOLD_MS)
    const count = (await countIn(this.database)) - this.before
    return { count, log: count === 0 ? [] : this.detailsIn(logFrom(this.logged)) }
  }

  /** Each is one entry with what belongs to it: who waited for whom, and their statements. */
  private detailsIn(text: string): string[] {
    const lines = text.split(/\n(?=\[)/).filter((line) => line.startsWith(`[${this.name}]`))
    const entries: string[] = []
    for (const line of lines) {
      if (/^\S+ (ERROR|LOG|FATAL|WARNING):/.test(line)) entries.push(line)
      else if (entries.length > 0) entries.push(`${entries.pop()}\n${line}`)
    }
    return entries.filter((entry) => /deadlock detected/.test(entry))
  }
}

async function countIn({ pool }: Database): Promise<number> {
  const { rows } = await pool.query(
    'select deadlocks::int as count from pg_stat_database where datname = current_database()',
  )
  return rows[0].count
}

const logFile = () => process.env.TEST_POSTGRES_LOG!
const logSize = () => statSync(logFile()).size
const logFrom = (byte: number) => readFileSync(logFile()).subarray(byte).toString()
