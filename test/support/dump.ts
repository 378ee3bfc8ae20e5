import { createHash } from 'node:crypto'
import type { Database } from '../../src/database/index.js'

/** Columns that change without anybody changing a record. */
const VOLATILE: Record<string, string[]> = { api_key: ['last_used_at'], sign_in_session: ['last_used_at'] }

/** What only grows tells what happened, and names for good the ids of what is gone; it has tests of its own. */
const TELLING = ['audit_entry']

/** Everything that the database holds of an account: the rows of each table, as texts in order. */
export async function dumpOf({ pool }: Database, accountId: string): Promise<Record<string, string[]>> {
  const { name, text, tables } = await queryOf(pool)
  const { rows } = await pool.query<{ name: string; row: string }>({ name, text, values: [accountId] })
  const dump: Record<string, string[]> = Object.fromEntries(tables.map((table) => [table, []]))
  for (const { name, row } of rows) dump[name]!.push(row)
  return dump
}

interface DumpQuery {
  name: string
  text: string
  tables: string[]
}

const queries = new WeakMap<Database['pool'], Promise<DumpQuery>>()

/** One statement for all tables, prepared: many tests ask for nothing so often. */
function queryOf(pool: Database['pool']): Promise<DumpQuery> {
  const known = queries.get(pool)
  if (known) return known
  const made = makeQuery(pool)
  queries.set(pool, made)
  return made
}

async function makeQuery(pool: Database['pool']): Promise<DumpQuery> {
  const { rows } = await pool.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attname = 'account_id' order by 1`,
  )
  const tables = rows.map(({ name }) => name).filter((name) => !TELLING.includes(name))
  const parts = [rowsOf('account', 'id'), ...tables.map((table) => rowsOf(table, 'account_id'))]
  const text = `${parts.join(' union all ')} order by 1, 2`
  const name = `dump ${createHash('sha256').update(text).digest('hex').slice(0, 16)}`
  return { name, text, tables: ['account', ...tables] }
}

const rowsOf = (table: string, column: string) =>
  `select '${table}' as name, (to_jsonb(t) - '{${(VOLATILE[table] ?? []).join()}}'::text[])::text as row
   from "${table}" t where "${column}" = $1`
