import type { Database } from '../../src/database/index.js'

/** Columns that change without anybody changing a record. */
const VOLATILE: Record<string, string[]> = { api_key: ['last_used_at'], sign_in_session: ['last_used_at'] }

/** What only grows tells what happened, and names for good the ids of what is gone; it has tests of its own. */
const TELLING = ['audit_entry']

/** Everything that the database holds of an account: the rows of each table, as texts in order. */
export async function dumpOf({ pool }: Database, accountId: string): Promise<Record<string, string[]>> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select c.table_name as name from information_schema.columns c join information_schema.tables t
       using (table_schema, table_name)
     where c.table_schema = 'public' and c.column_name = 'account_id' and t.table_type = 'BASE TABLE' order by 1`,
  )
  const dump: Record<string, string[]> = { account: await rowsOf(pool, 'account', 'id', accountId) }
  for (const { name } of tables.filter(({ name }) => !TELLING.includes(name)))
    dump[name] = await rowsOf(pool, name, 'account_id', accountId)
  return dump
}

async function rowsOf(pool: Database['pool'], table: string, column: string, id: string): Promise<string[]> {
  const { rows } = await pool.query<{ row: string }>(
    `select (to_jsonb(t) - $2::text[])::text as row from "${table}" t where "${column}" = $1 order by 1`,
    [id, VOLATILE[table] ?? []],
  )
  return rows.map(({ row }) => row)
}
