import { type RawBuilder, sql } from 'kysely'
import { param, Statement } from '../statement.js'
import type { Fact, FactIds } from './fact.js'

const COLUMNS = sql`account_id, subscriber, fact, record, ids`

/** Stores, with the transaction that announces it, that these domains are to hear of a fact. */
export const storeFact = new Statement<never>(
  sql<never>`insert into outbox (${COLUMNS})
    select ${param('account')}::uuid, subscriber, ${param('fact')}, ${param('record')}::uuid, ${param('ids')}::jsonb
    from unnest(${param('subscribers')}::text[]) subscriber`,
  { prepared: true },
)

/**
 * The same as a part of a statement's `with`, for a write that is so frequent that a statement more would count: of the
 * records whose ids the part `of` returns, the fact that is about nothing else is stored. The statement takes the value
 * `hearing`, which is `db.hearing(fact)`, and the fact is announced as stored.
 */
export function stores<Ids extends FactIds>({ name, record }: Fact<Ids>, of: string): RawBuilder<unknown> {
  const id = sql.ref(`${of}.id`)
  return sql`insert into outbox (${COLUMNS})
    select ${param('account')}::uuid, subscriber, ${sql.lit(name)}, ${id}, jsonb_build_object(${sql.lit(record)}, ${id})
    from ${sql.table(of)}, unnest(${param('hearing')}::text[]) subscriber`
}
