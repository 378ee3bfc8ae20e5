import { type RawBuilder, sql } from 'kysely'

/** How an entity's property holds an instant, with milliseconds. */
export const timestamp = { columnType: 'timestamptz(3)', type: 'datetime' } as const

/** `linkedinProfileUrl` as the database spells it: `linkedin_profile_url`. */
export function columnOf(property: string): string {
  return property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** An instant inside of JSON, which would spell it with the offset's digits, as the rest of the API spells it. */
export function iso(column: string): RawBuilder<string> {
  return sql<string>`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}
