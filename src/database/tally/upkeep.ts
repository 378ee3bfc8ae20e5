import type pg from 'pg'
import { totalsOf } from './ddl.js'
import { keysOf, sumsOf, type Tally, tableOf } from './definition.js'

/** Differences that an account may gather before they are added up. */
export const COMPACT_AFTER = 200

/** A combination of dimensions whose kept total is not what the table adds up to. */
export type Mismatch = Record<string, unknown>

/**
 * Adds the differences of an account up, for each combination of dimensions that has some. Safe beside writers and other
 * compactions: it replaces just the rows that it deletes, in one statement, and a row that another compaction has
 * deleted meanwhile is not among them.
 */
export async function compactTally(pool: pg.Pool, tally: Tally, accountId: string): Promise<void> {
  await pool.query(compaction(tally), [accountId])
}

function compaction(tally: Tally): string {
  const table = tableOf(tally)
  const keys = keysOf(tally).join(', ')
  const sums = sumsOf(tally).map((name) => `sum(${name})`)
  return `with touched as (select unnest(array_agg(ctid)) as at from ${table} where account_id = $1
      group by ${keys} having bool_or(fresh)),
    d as (delete from ${table} where ctid = any(array(select at from touched)) returning *)
    insert into ${table} (${[...keysOf(tally), ...sumsOf(tally)].join(', ')}, fresh)
    select ${[keys, ...sums].join(', ')}, false from d group by ${keys}
    having ${sums.map((sum) => `${sum} <> 0`).join(' or ')}`
}

/** Adds up, for all accounts, where more than a few differences have gathered; returns how many accounts that were. */
export async function compactAll(pool: pg.Pool, tally: Tally, after = COMPACT_AFTER): Promise<number> {
  const { rows } = await pool.query<{ account_id: string }>(
    `select account_id from ${tableOf(tally)} where fresh group by account_id having count(*) > $1`,
    [after],
  )
  for (const { account_id } of rows) await compactTally(pool, tally, account_id)
  return rows.length
}

/** Compares the kept totals with the table, both as of one moment; empty when all are right. */
export async function verifyTally(pool: pg.Pool, tally: Tally): Promise<Mismatch[]> {
  const keys = keysOf(tally)
  const sums = sumsOf(tally)
  const kept = `select ${keys.join(', ')}, ${sums.map((name) => `sum(${name}) as ${name}`).join(', ')}
    from ${tableOf(tally)} group by ${keys.join(', ')}`
  const differs = sums.map((name) => `coalesce(k.${name}, 0) <> coalesce(t.${name}, 0)`).join(' or ')
  const columns = [
    ...keys.map((name) => `coalesce(k.${name}, t.${name}) as ${name}`),
    ...sums.flatMap((name) => [`coalesce(k.${name}, 0) as kept_${name}`, `coalesce(t.${name}, 0) as true_${name}`]),
  ]
  // A full join wants plain equality, and a dimension may be null.
  const key = (alias: string) => `(${keys.map((name) => `coalesce(${alias}.${name}::text, '')`).join(" || '/' || ")})`
  const { rows } = await pool.query<Mismatch>(
    `select ${columns.join(', ')} from (${kept}) k full join (${totalsOf(tally)}) t on ${key('k')} = ${key('t')}
     where ${differs} limit 100`,
  )
  return rows
}
