import type pg from 'pg'
import { compactTally, type Database, type Tally, tableOf, violates } from '../database/index.js'
import { AppError } from '../shared/errors.js'
import { isUuid } from '../shared/ids.js'
import { contactsSql, notesSql, tagLinksSql, tagsSql } from './contacts.sql.js'
import { historySql, opportunitiesSql, settingSql } from './opportunities.sql.js'

export interface SeedPlan {
  accountId: string
  contacts: number
  /** Notes on each contact. */
  notes: number
  opportunities: number
  /** Whether what happened to the opportunities is told, too. */
  history: boolean
  seed: number
}

// Each chunk is a transaction of its own, so that a reader who syncs need not wait for all of it.
const CHUNK = 5000
const WRITERS = 2

/** A statement of a chunk, with its values after the account, the seed, and the first and last number. */
type Step = [sql: string, ...more: unknown[]]

/**
 * Fills an account with test data that follows from the seed. Returns how many rows were written; `progress` hears of
 * the contacts and opportunities done so far. The work happens in PostgreSQL, which is where the data is wanted.
 */
export async function seedAccount(
  { pool }: Database,
  tallies: readonly Tally[],
  plan: SeedPlan,
  progress: (records: number) => void,
): Promise<number> {
  const { accountId, seed, contacts, notes, opportunities, history } = plan
  await requireAccount(pool, accountId)
  let rows = 0
  let done = 0
  const settle = async (sql: string) => {
    const { rowCount } = await pool.query(sql, [accountId, seed])
    rows += rowCount ?? 0
  }
  const fill = (count: number, steps: Step[]) =>
    inChunks(count, async (from, to) => {
      const written = await writeChunk(pool, plan, from, to, steps)
      rows += written
      done += to - from + 1
      progress(done)
    })

  await settle(tagsSql)
  await fill(contacts, [[contactsSql], [tagLinksSql], ...(notes > 0 ? [[notesSql, notes] as Step] : [])])
  const tables = ['contact', 'contact_tag', 'contact_note']
  if (opportunities > 0) {
    for (const sql of settingSql) await settle(sql)
    await fill(opportunities, [[opportunitiesSql, contacts], ...(history ? [[historySql, contacts] as Step] : [])])
    tables.push('opportunity', 'opportunity_history')
  }
  const kept = tallies.filter(({ table }) => tables.includes(table))
  for (const tally of kept) {
    await pool.query(`vacuum ${tableOf(tally)}`) // so that what is added up goes to the front, and the rest can be given back
    await compactTally(pool, tally, accountId)
  }
  // Without the map of what all can see, a late page of a list would look at each row that it skips.
  for (const table of [...tables, ...kept.map(tableOf)]) await pool.query(`vacuum (analyze) ${table}`)
  return rows
}

async function requireAccount(pool: pg.Pool, accountId: string): Promise<void> {
  const found = isUuid(accountId) ? await pool.query('select from account where id = $1', [accountId]) : undefined
  if (!found?.rowCount) throw new AppError('NOT_FOUND', `There is no account ${accountId}.`)
}

/** Does the work for the numbers from 1 on, in chunks, with several at once. */
async function inChunks(count: number, work: (from: number, to: number) => Promise<void>): Promise<void> {
  let next = 0
  const writer = async () => {
    while (next < count) {
      const from = next + 1
      const to = Math.min(next + CHUNK, count)
      next = to
      await work(from, to)
    }
  }
  await Promise.all(Array.from({ length: WRITERS }, writer))
}

async function writeChunk(
  pool: pg.Pool,
  { accountId, seed }: SeedPlan,
  from: number,
  to: number,
  steps: Step[],
): Promise<number> {
  const client = await pool.connect()
  let rows = 0
  try {
    await client.query("begin; set local synchronous_commit = off; set local work_mem = '64MB'")
    for (const [sql, ...more] of steps) {
      const { rowCount } = await client.query(sql, [accountId, seed, from, to, ...more])
      rows += rowCount ?? 0
    }
    await client.query('commit')
    return rows
  } catch (error) {
    await client.query('rollback')
    const keys = ['contact_pkey', 'contact_email_key', 'opportunity_pkey']
    const twice = keys.some((key) => violates(error, key))
    throw twice ? new AppError('DUPLICATE_ERROR', `The account has data of seed ${seed} already.`) : error
  } finally {
    client.release()
  }
}
