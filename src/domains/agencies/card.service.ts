import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import type { CardOnFile } from '../../integrations/billing/index.js'

const store = new Statement<never>(
  sql<never>`update agency set payment_method = ${param('paymentMethod')}, card = ${param('card')}::jsonb,
      card_as_of = ${param('asOf')}
    where id = ${param('agency')} and (card_as_of is null or card_as_of <= ${param('asOf')}::timestamptz)`,
)

/** Stores the card on file, or that there is none, unless something was stored that was read later. */
export async function storeCard(db: Scope, card: CardOnFile | null, asOf: Date): Promise<void> {
  const { paymentMethod = null, ...face } = card ?? {}
  await db.rows(store, { paymentMethod, card: card && JSON.stringify(face), asOf })
}
