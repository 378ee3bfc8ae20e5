import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'

// All that have the number first: PostgreSQL takes them for so many that it would go through the contacts from the oldest on.
const holder = new Statement<{ id: string }>(
  sql<{ id: string }>`with found as materialized (
      select id, created_at from contact where account_id = ${param('account')}
        and phone_digits is not null and phone_key(phone_digits) = phone_key(${param('digits')}::text))
    select id from found order by created_at, id limit 1`,
  { prepared: true },
)

/** The contact with this phone number, the oldest of several; Brazil's mobile numbers with and without the ninth digit are one. */
export async function holderOfPhone(db: Scope, phone: string): Promise<string | null> {
  return (await db.rows(holder, { digits: digitsOf(phone) }))[0]?.id ?? null
}

/** The digits of a phone number. */
export const digitsOf = (phone: string): string => phone.replace(/\D/g, '')
