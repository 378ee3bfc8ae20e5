import type pg from 'pg'
import { cut, sendTogether } from './connections/index.js'
import { failureCode } from './failures.js'
import { beginLocked } from './migrate.js'
import type { PreparedQuery } from './prepare.js'
import { END } from './session.js'
import { TENANT_ROLE } from './tenant.js'

const ENTER = `select set_config('role', '${TENANT_ROLE}', false), set_config('app.account', $1, false)`
const LEAVE = `select set_config('role', 'none', false), set_config('app.account', '', false)`

// Roles belong to all databases of a server, and locks to one: another process may make or change them at the same moment.
const MADE_MEANWHILE = new Set(['42710', '23505'])
const CHANGED_MEANWHILE = 'XX000'

/**
 * Makes the role that tenants' statements run under, and lets it at the tables; their policies do the rest. Processes that
 * do so at the same time wait for each other and for those that migrate, or PostgreSQL before 17 would refuse some.
 */
export async function prepareRowSecurity(pool: pg.Pool): Promise<void> {
  const { rowCount } = await pool.query('select from pg_roles where rolname = $1', [TENANT_ROLE])
  if (!rowCount) await atTheSameTime(pool.query(`create role ${TENANT_ROLE} nologin`))
  await atTheSameTime(pool.query(`grant ${TENANT_ROLE} to current_user`))
  const client = await pool.connect()
  try {
    await beginLocked(client)
    await client.query(`grant usage on schema public to ${TENANT_ROLE};
      grant select, insert, update, delete on all tables in schema public to ${TENANT_ROLE}`)
    await client.query('commit')
    client.release()
  } catch (error) {
    client.release(true)
    throw error
  }
}

async function atTheSameTime(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    const code = failureCode(error) ?? ''
    if (!MADE_MEANWHILE.has(code) && code !== CHANGED_MEANWHILE) throw error
  }
}

/** Runs one statement under the row level security of an account. A connection that could not be taken out of it is thrown away. */
export async function queryUnderRowSecurity<Row extends pg.QueryResultRow>(
  client: pg.PoolClient,
  accountId: string,
  query: PreparedQuery,
): Promise<pg.QueryResult<Row>> {
  let left = false
  try {
    await client.query(ENTER, [accountId])
    return await client.query<Row>(query)
  } finally {
    try {
      await client.query(LEAVE)
      left = true
    } finally {
      if (!left) cut(client)
    }
  }
}

/**
 * Runs one statement in a transaction of its own, begun with what it is to be under; that goes when it ends. All three
 * leave in one packet.
 */
export async function queryInTransaction<Row extends pg.QueryResultRow>(
  client: pg.PoolClient,
  begin: string,
  query: PreparedQuery,
): Promise<pg.QueryResult<Row>> {
  sendTogether(client)
  const begun = client.query(begin)
  const answered = client.query<Row>(query)
  const ended = client.query(END)
  const [first, result, last] = await Promise.allSettled([begun, answered, ended])
  if (last.status === 'rejected') cut(client)
  if (first.status === 'rejected') throw first.reason
  if (result.status === 'rejected') throw result.reason
  if (last.status === 'rejected') throw last.reason
  return result.value
}
