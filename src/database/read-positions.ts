import { createHash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { Database } from './database.js'
import type { Scope } from './scope.js'
import { param, Statement } from './statement.js'

// Whoever copies a list by the numbers of its pages must not lose what moves up while it reads: of a page whose records
// are changed or deleted, the next page's first ones take the place. So each page begins where the one before it ended,
// for the reader of the key who has come least far.

/** A page of a list that is read by whoever keeps a copy up to date. */
export interface CopiedPage {
  keyId: string
  /** A text that tells the list, with its filters and its order, from all others of the account. */
  list: string
  limit: number
  page: number
}

/** A record's place in the order in which it is copied. */
export interface ReadPosition {
  at: string
  id: string
}

const MINE = sql`account_id = ${param('account')} and key_id = ${param('keyId')} and list = ${param('list')}`

const find = new Statement<{ horizon: string } & Partial<ReadPosition>>(
  sql`select sync_horizon(${param('account')})::text as horizon, p.at, p.id
    from (select) one left join lateral (
      select at, id from read_position where ${MINE} and page = ${param('page')}::int - 1
        and hour >= date_trunc('hour', now() - interval '1 day')
      order by at, id limit 1) p on true`,
  { prepared: true },
)

/** The instant up to which the list may be read, and where the page before this one ended, if that is known. */
export async function findReadPosition(
  db: Scope,
  page: CopiedPage,
): Promise<{ horizon: string; before: ReadPosition | undefined }> {
  const { horizon, at, id } = (await db.rows(find, copyValues(page)))[0]!
  return { horizon, before: at && id ? { at, id } : undefined }
}

/**
 * Keeps, as a part of a statement, where a page ended, for a day: `end` selects its `at` and `id`. Of several readers of
 * the key, the one who has come least far counts. It is not waited for until it is on the disk: what a crash of the
 * database takes with it is asked for with a warning.
 */
export function keepingReadPosition(end: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`insert into read_position as p (account_id, key_id, list, page, hour, at, id)
    select ${param('account')}, ${param('keyId')}::uuid, ${param('list')}::bytea, ${param('page')}::int,
      date_trunc('hour', now()), e.at, e.id
    from (${end}) e where set_config('synchronous_commit', 'off', true) = 'off'
    on conflict (account_id, key_id, list, page, hour) do update set at = excluded.at, id = excluded.id
    where (excluded.at, excluded.id) < (p.at, p.id)`
}

const keep = new Statement<never>(
  sql<never>`${keepingReadPosition(sql`select ${param('at')}::timestamptz as at, ${param('id')}::uuid as id`)}`,
  { prepared: true },
)

/** Keeps where a page ended that no statement of its own tells. */
export async function keepReadPosition(db: Scope, page: CopiedPage, { at, id }: ReadPosition): Promise<void> {
  await db.rows(keep, { ...copyValues(page), at, id })
}

/** The values by which a statement on positions finds those of a page. */
export function copyValues({ keyId, list, limit, page }: CopiedPage): Record<string, unknown> {
  return { keyId, page, list: createHash('sha256').update(`${limit} ${list}`).digest().subarray(0, 16) }
}

/** Removes the positions that nobody can go on from any more; returns how many. */
export async function sweepReadPositions({ pool }: Database): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from read_position where hour < date_trunc('hour', now() - interval '1 day')`,
  )
  return rowCount ?? 0
}
