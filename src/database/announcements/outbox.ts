import { sql } from 'kysely'
import type { Database } from '../database.js'
import { failureCode } from '../failures.js'
import { Scope } from '../scope.js'
import { param, Statement } from '../statement.js'
import type { FactIds } from './fact.js'

/** A fact that a domain is to hear of, and for which a worker has the turn to tell it. */
export interface Delivery {
  id: string
  accountId: string
  subscriber: string
  fact: string
  record: string
  ids: FactIds
  /** How often it was begun, this time included. */
  attempts: number
}

/** The pace of deliveries, in milliseconds. */
export interface Pace {
  /** How long a worker that took a delivery may take to begin it; then another may have it, each time twice as late. */
  lease: number
  /** After what time a failed one is tried again, each time twice as late. */
  retry: number
}

/** How long what is done outside of the database may take, in milliseconds. */
const OUTSIDE_MS = 120_000

/** The longest pause between two attempts, in milliseconds. */
const MAX_PAUSE = 3_600_000

const doubled = (ms: string, attempts: string) =>
  `make_interval(secs => least(${MAX_PAUSE}, ${ms} * power(2, least(${attempts}, 20))) / 1000.0)`

// Rows that are there, not those after the last one seen: what commits late is found all the same. Of each record only the
// oldest is due. Whoever updates it has the turn; the row's lock is held again while it is delivered, so a lease that ends
// too early harms nothing, and one whose process died in the middle comes up again, but not at once: it may be the cause.
const TAKE = `with head as (
    select o.subscriber, o.record, o.id from outbox o
    where o.due_at <= now() and (o.subscriber, o.fact) in (select * from unnest($1::text[], $2::text[]))
      and not exists (select from outbox e
        where e.subscriber = o.subscriber and e.record = o.record and e.id < o.id)
    order by o.due_at limit $3 for update of o skip locked)
  update outbox o set attempts = o.attempts + 1, due_at = now() + ${doubled('$4::float8', 'o.attempts')}
  from head where o.subscriber = head.subscriber and o.record = head.record and o.id = head.id
  returning o.id, o.account_id as "accountId", o.subscriber, o.fact, o.record, o.ids,
    o.attempts`

/** Takes the turn for at most so many deliveries that are due, of different records. */
export async function takeDeliveries(database: Database, limit: number, { lease }: Pace): Promise<Delivery[]> {
  const { told } = database.subscribers
  const [domains, facts] = [told.map(({ domain }) => domain), told.map(({ fact }) => fact)]
  return (await database.pool.query<Delivery>(TAKE, [domains, facts, limit, lease])).rows
}

const isIt = sql`account_id = ${param('account')} and subscriber = ${param('subscriber')}
  and record = ${param('record')} and id = ${param('id')}`

const hold = new Statement<{ id: string }>(
  sql<{ id: string }>`select id from outbox where ${isIt} for update skip locked`,
)

// Not by who has taken over since: the attempts tell whose turn it is.
const extend = new Statement<{ id: string }>(
  sql<{ id: string }>`update outbox set due_at = now() + ${param('ms')}::float8 * interval '1 millisecond'
    where ${isIt} and attempts = ${param('attempts')} returning id`,
)

const remove = new Statement<never>(sql<never>`delete from outbox where ${isIt}`, { prepared: true })

// The message may quote what a record holds, and would stay when that is erased; the log has it.
const FAIL = `update outbox set error = $4, due_at = now() + ${doubled('$5::float8', 'attempts - 1')} * (0.5 + random() / 2)
  where subscriber = $1 and record = $2 and id = $3`

/**
 * Tells a domain of a fact, in the one transaction that also ends the delivery, unless another worker is at it or has
 * done it; who listens from outside is told in none, and has two minutes. A failure is noted with the delivery, which stays and comes up again, and thrown.
 */
export async function deliver(database: Database, delivery: Delivery, { retry }: Pace): Promise<void> {
  const { id, accountId, subscriber, fact, record, ids, attempts } = delivery
  const { handle, outside } = database.subscribers.handlerOf(subscriber, fact)!
  const key = { subscriber, record, id }
  const db = Scope.ofSystem(database, accountId)
  try {
    if (outside) {
      const [ours] = await db.rows(extend, { ...key, attempts, ms: OUTSIDE_MS })
      if (!ours) return
      await handle(db, ids)
      await db.rows(remove, key)
      return
    }
    await db.transaction(async () => {
      const [held] = await db.rows(hold, key)
      if (!held) return
      await handle(db, ids)
      db.send(remove, key)
    })
  } catch (error) {
    const name = error instanceof Error ? error.name : 'Error'
    await database.pool.query(FAIL, [
      subscriber,
      record,
      id,
      [name, failureCode(error)].filter(Boolean).join(' '),
      retry,
    ])
    throw error
  }
}
