import { type Database, Scope } from '../../database/index.js'
import { declaredActions } from '../../kit/action.js'
import { defineJob, type RecurringJob } from '../../kit/job.js'
import { enqueue } from '../jobs/index.js'
import { dropAction, settleActions } from './action.service.js'

/** Does an action that a domain asked for by itself while nobody waits for it. */
export const settleAction = defineJob<{ actionId: string }>('settle-action', async (db, { actionId }) => {
  await settleActions(db, [actionId])
})

/** Has actions done in the background, once the open transaction is committed. */
export function settleLater(db: Scope, actions: readonly { id: string }[]): void {
  for (const { id } of actions) enqueue(db, settleAction, { actionId: id })
}

interface Left {
  id: string
  accountId: string
  name: string
  late: boolean
}

/** How many are looked at in one go, and how many of these at once. */
const BATCH = 200
const AT_ONCE = 5

// Whoever lives has begun by then, and ended. Nobody waits a day for what was asked for with a call that broke off: so
// long, and no longer, a repeat of the call would have it done.
const LEFT = `select id, account_id as "accountId", name,
    claimed_at is null and created_at < now() - interval '24 hours' as late
  from opportunity_action
  where result is null and name = any($2) and created_at < now() - interval '30 seconds'
    and (claimed_at is null or claimed_at < now() - interval '30 seconds')
  order by created_at limit $1`

/**
 * Takes up the actions whose process has died: what it had not begun is done, or after a day is said not to be; of what it
 * had begun it is said that nobody knows.
 */
export async function settleLeft(database: Database): Promise<void> {
  const names = database.needs.get(declaredActions).map(({ name }) => name)
  const { rows } = await database.pool.query<Left>(LEFT, [BATCH, names])
  const settle = async ({ accountId, late, ...action }: Left) => {
    const db = Scope.ofSystem(database, accountId)
    if (late) await dropAction(db, action, 'It was not done: the service was interrupted before it began with it.')
    else await settleActions(db, [action.id])
  }
  while (rows.length > 0) await Promise.all(rows.splice(0, AT_ONCE).map(settle))
}

/** Looks for them each minute. */
export const settleLeftJob: RecurringJob = { name: 'settle-left-actions', cron: '* * * * *', run: settleLeft }
