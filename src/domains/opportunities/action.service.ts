import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { databaseFailure, param, type Scope, Statement } from '../../database/index.js'
import { type Action, declaredActions } from '../../kit/action.js'
import { errorLog } from '../../kit/error-log.js'
import { AppError } from '../../shared/errors.js'
import { opportunityGone } from './action.types.js'
import type { AskedAction } from './action-asked.service.js'

/** How long an action may take, in milliseconds. */
export const ACTION_MS = 5000
// Whoever has claimed one stores its block within its time and a little more, or is dead.
const DEAD_AFTER_MS = ACTION_MS + 2000
const WAIT_MS = 10_000
const LOOK_MS = 50

const read = new Statement<AskedAction>(
  sql<AskedAction>`select a.id, a.opportunity_id as "opportunityId", o.contact_id as "contactId", a.name, a.input,
      a.claimed_at is not null as claimed, a.result,
      coalesce(a.claimed_at < now() - make_interval(secs => ${sql.lit(DEAD_AFTER_MS / 1000)}), false) as dead
    from opportunity_action a join opportunity o on o.account_id = a.account_id and o.id = a.opportunity_id
    where a.account_id = ${param('account')} and a.id = any(${param('ids')}::uuid[])`,
  { prepared: true },
)

const claim = new Statement<{ id: string }>(
  sql<{ id: string }>`update opportunity_action set claimed_at = now()
    where account_id = ${param('account')} and id = ${param('id')} and claimed_at is null and result is null
    returning id`,
  { prepared: true },
)

// What was stored first stays: a caller who asks again is told the same. What was asked for is needed no more.
const store = new Statement<{ result: object }>(
  sql<{ result: object }>`update opportunity_action set result = ${param('block')}::jsonb, input = '{}'
    where account_id = ${param('account')} and id = ${param('id')} and result is null returning result`,
  { prepared: true },
)

/** Says of an action that nobody has begun that it does not happen any more. */
export async function dropAction(db: Scope, asked: Pick<AskedAction, 'id' | 'name'>, reason: string): Promise<void> {
  const action = db.get(declaredActions).find(({ name }) => name === asked.name)
  const dropped = { id: asked.id, block: JSON.stringify(action?.failed(reason) ?? { error: reason }) }
  await db.transaction(async () => {
    const [begun] = await db.rows(claim, { id: asked.id })
    if (begun) await db.rows(store, dropped)
  })
}

/** Has actions done, unless they are, and returns their blocks by their ids. None ever makes this fail. */
export async function settleActions(db: Scope, ids: readonly string[]): Promise<Map<string, object>> {
  return settleAsked(db, await db.rows(read, { ids }))
}

/** The same of actions that have been read. All run side by side. */
export async function settleAsked(db: Scope, asked: readonly AskedAction[]): Promise<Map<string, object>> {
  const settled = asked.map(async (one): Promise<[string, object]> => [one.id, one.result ?? (await settle(db, one))])
  return new Map(await Promise.all(settled))
}

async function settle(db: Scope, asked: AskedAction): Promise<object> {
  const action = db.get(declaredActions).find(({ name }) => name === asked.name)
  if (!action) throw new Error(`there is no action ${asked.name} any more`)
  const own = db.beside()
  try {
    if (action.effect === 'database') return await runInTime(own, action, asked, runWithin)
    if (asked.claimed || (await own.rows(claim, { id: asked.id })).length === 0)
      return await waitFor(own, action, asked)
    return await runInTime(own, action, asked, runClaimed)
  } catch (error) {
    db.get(errorLog)(error, `the block of the action ${action.name} could not be stored`)
    return action.failed('What became of it could not be written down; it may have happened.')
  }
}

type Run = (db: Scope, action: Action, asked: AskedAction, signal: AbortSignal) => Promise<object>

async function runInTime(db: Scope, action: Action, asked: AskedAction, run: Run): Promise<object> {
  const over = new AbortController()
  const finished = new AbortController()
  const late = delay(ACTION_MS, undefined, { signal: finished.signal }).then(
    () => {
      over.abort()
      const seconds = ACTION_MS / 1000
      return action.failed(
        action.effect === 'database'
          ? `It took longer than ${seconds} seconds and was given up.`
          : `It took longer than ${seconds} seconds; whether it took effect is unknown.`,
      )
    },
    () => asked, // nobody looks at this one: the run was faster
  )
  const ran = run(db, action, asked, over.signal).catch((error: unknown) => {
    if (error instanceof KnownAlready) return asked
    return action.failed(sentenceOf(db, action, error))
  })
  const block = await Promise.race([ran, late])
  finished.abort()
  return block instanceof Kept ? block.result : blockOf(db.beside(), action, asked, block)
}

/** The block as it is kept: what was stored by somebody else before counts. */
async function blockOf(db: Scope, action: Action, asked: AskedAction, block: object): Promise<object> {
  if (block !== asked) {
    const [kept] = await db.rows(store, { id: asked.id, block: JSON.stringify(block) })
    if (kept) return kept.result
  }
  const [found] = await db.rows(read, { ids: [asked.id] })
  if (found?.result) return found.result
  // With its opportunity the row is gone, but not what was done outside of our database.
  return block !== asked && action.effect === 'outside' ? block : action.failed(opportunityGone().message)
}

const targetOf = ({ opportunityId, contactId }: AskedAction, signal: AbortSignal) => ({
  opportunityId,
  contactId,
  signal,
})

/** One that is claimed: what it does cannot be taken back. */
const runClaimed: Run = async (db, action, asked, signal) => action.run(db, asked.input, targetOf(asked, signal))

/** Somebody else has stored the block of an action, or its time is up: what was done for it is taken back. */
class KnownAlready extends Error {}

/** A block that is committed already. */
class Kept {
  constructor(readonly result: object) {}
}

/** One with effects in our database alone: they are committed with the block, or not at all. */
const runWithin: Run = (db, action, asked, signal) =>
  db.transaction(async () => {
    const block = await action.run(db, asked.input, targetOf(asked, signal))
    if (signal.aborted) throw new KnownAlready()
    const [kept] = await db.rows(store, { id: asked.id, block: JSON.stringify(block) })
    if (!kept) throw new KnownAlready()
    return new Kept(kept.result)
  })

function sentenceOf(db: Scope, { name }: Action, error: unknown): string {
  const known = error instanceof AppError ? error : databaseFailure(error)
  if (!(error instanceof AppError)) db.get(errorLog)(error, `the action ${name} failed`)
  return known?.message ?? 'It failed for a reason of our own, which we have written down.'
}

/** Waits until whoever has claimed an action tells what came of it. */
async function waitFor(db: Scope, action: Action, { id }: AskedAction): Promise<object> {
  for (const end = Date.now() + WAIT_MS; Date.now() < end; await delay(LOOK_MS)) {
    const [found] = await db.rows(read, { ids: [id] })
    if (!found) return action.failed(opportunityGone().message)
    if (found.result) return found.result
    if (found.dead) return blockOf(db, action, found, action.failed('interrupted; outcome unknown'))
  }
  return action.failed('It is still under way.')
}
