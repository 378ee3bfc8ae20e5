import type pg from 'pg'
import { type Database, violates } from '../database/index.js'
import { AppError } from '../shared/errors.js'
import { isUuid } from '../shared/ids.js'
import { contactsSql, notesSql, tagLinksSql, tagsSql } from './sql.js'

export interface SeedPlan {
  accountId: string
  contacts: number
  /** Notes on each contact. */
  notes: number
  seed: number
}

// Each chunk is a transaction of its own, so that a reader who syncs need not wait for all of it.
const CHUNK = 5000
const WRITERS = 2

/**
 * Fills an account with test data that follows from the seed. Returns how many rows were written; `progress` hears of
 * the contacts done so far. The work happens in PostgreSQL, which is where the data is wanted.
 */
export async function seedAccount(
  { pool }: Database,
  plan: SeedPlan,
  progress: (contacts: number) => void,
): Promise<number> {
  await requireAccount(pool, plan.accountId)
  const { rowCount: tags } = await pool.query(tagsSql, [plan.accountId, plan.seed])
  let next = 0
  let done = 0
  let rows = tags ?? 0
  const writer = async () => {
    while (next < plan.contacts) {
      const from = next + 1
      const to = Math.min(next + CHUNK, plan.contacts)
      next = to
      const written = await writeChunk(pool, plan, from, to)
      rows += written
      done += to - from + 1
      progress(done)
    }
  }
  await Promise.all(Array.from({ length: WRITERS }, writer))
  // Without the map of what all can see, a late page of a list would look at each row that it skips.
  for (const table of ['contact', 'contact_tag', 'contact_note']) await pool.query(`vacuum (analyze) ${table}`)
  return rows
}

async function requireAccount(pool: pg.Pool, accountId: string): Promise<void> {
  const found = isUuid(accountId) ? await pool.query('select from account where id = $1', [accountId]) : undefined
  if (!found?.rowCount) throw new AppError('NOT_FOUND', `There is no account ${accountId}.`)
}

async function writeChunk(pool: pg.Pool, plan: SeedPlan, from: number, to: number): Promise<number> {
  const { accountId, seed, notes } = plan
  const client = await pool.connect()
  try {
    await client.query("begin; set local synchronous_commit = off; set local work_mem = '64MB'")
    const range = [accountId, seed, from, to]
    const written = [
      await client.query(contactsSql, range),
      await client.query(tagLinksSql, range),
      ...(notes > 0 ? [await client.query(notesSql, [...range, notes])] : []),
    ]
    await client.query('commit')
    return written.reduce((sum, { rowCount }) => sum + (rowCount ?? 0), 0)
  } catch (error) {
    await client.query('rollback')
    const twice = violates(error, 'contact_pkey') || violates(error, 'contact_email_key')
    throw twice ? new AppError('DUPLICATE_ERROR', `The account has data of seed ${seed} already.`) : error
  } finally {
    client.release()
  }
}
