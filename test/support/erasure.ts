import type { Database } from '../../src/database/index.js'

/** A column that can hold text, of a table whose rows belong to a contact. */
export interface TextColumn {
  table: string
  column: string
  type: string
  /** Characters at most. */
  length: number | null
}

/**
 * The tables whose rows lead to a contact by foreign keys, over however many others, with the columns that can hold text.
 * The database tells them, so a new table or column is among them by itself.
 */
export async function textsOfContacts({ pool }: Database): Promise<Map<string, TextColumn[]>> {
  const { rows } = await pool.query<TextColumn>(
    `with recursive reached (oid) as (
       select 'contact'::regclass::oid
       union select c.conrelid from pg_constraint c join reached r on c.confrelid = r.oid where c.contype = 'f')
     select t.relname as "table", a.attname as "column", format_type(a.atttypid, null) as type,
       case when a.atttypmod > 0 then a.atttypmod - 4 end as length
     from reached join pg_class t on t.oid = reached.oid
       join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
         and format_type(a.atttypid, null) in
           ('text', 'character varying', 'character', 'json', 'jsonb', 'text[]', 'character varying[]', 'xml')
     order by 1, 2`,
  )
  return Map.groupBy(rows, ({ table }) => table)
}

const MARK = 'zq'
const CHECK_VIOLATION = '23514'

/** A planted text, and where it was planted. */
export interface Planted {
  /** `table.column` */
  place: string
  text: string
}

/** Puts a text of its own into every column, in all rows of the account; not where only certain words can stand. */
export async function plant({ pool }: Database, accountId: string, columns: readonly TextColumn[]): Promise<Planted[]> {
  const planted: Planted[] = []
  for (const [i, { table, column, type, length }] of columns.entries()) {
    const whole = `${MARK}${i.toString(36).padStart(2, '0')}planted${i}`
    const text = length === null ? whole : whole.slice(0, length)
    const value = type.endsWith('[]')
      ? 'array[$2]'
      : type.startsWith('json')
        ? `json_build_object('planted', $2::text)`
        : '$2'
    try {
      const { rowCount } = await pool.query(`update "${table}" set "${column}" = ${value} where account_id = $1`, [
        accountId,
        text,
      ])
      if (!rowCount) throw new Error(`nothing of ${table} belongs to the contact: give it a row here`)
    } catch (error) {
      if ((error as { code?: string }).code !== CHECK_VIOLATION) throw error
      continue
    }
    planted.push({ place: `${table}.${column}`, text })
  }
  return planted
}

/**
 * Where the planted texts still are, in whatever table and schema of the database: `table.column` of where each was
 * planted, with the table where it was found if that is another. A text that was cut to a few characters is looked for
 * in its own column alone.
 */
export async function search({ pool }: Database, planted: readonly Planted[]): Promise<string[]> {
  const { rows: tables } = await pool.query<{ table: string }>(
    `select format('%I.%I', schemaname, tablename) as "table" from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema')`,
  )
  const found = new Set<string>()
  for (const { table } of tables) {
    const { rows } = await pool.query<{ row: string }>(`select t::text as row from ${table} t where t::text like $1`, [
      `%${MARK}%`,
    ])
    for (const { place, text } of planted) {
      const own = table === `public.${place.split('.')[0]}`
      if (!own && text.length < 8) continue
      if (rows.some(({ row }) => row.includes(text))) found.add(own ? place : `${place} in ${table}`)
    }
  }
  return [...found].sort()
}
