import { sql } from 'kysely'
import { param, Statement } from '../statement.js'

/** Stores, with the transaction that announces it, that these domains are to hear of a fact. */
export const storeFact = new Statement<never>(
  sql<never>`insert into outbox (account_id, subscriber, fact, record, ids)
    select ${param('account')}::uuid, subscriber, ${param('fact')}, ${param('record')}::uuid, ${param('ids')}::jsonb
    from unnest(${param('subscribers')}::text[]) subscriber`,
  { prepared: true },
)
