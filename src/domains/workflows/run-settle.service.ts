import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import type { AgentRunState } from './agent-run.entity.js'
import type { ClaimedRun } from './run-claim.service.js'

/** People write in several messages what they mean as one: so long an answer waits for more, in milliseconds. */
export const PAUSE_MS = 1500

/** What came of a run. */
export interface RunOutcome {
  state: AgentRunState
  messageId?: string | null
  /** Why nothing came of it, or not yet, or why people have the conversation. */
  error?: string | null
  /** How long it waits, where it is due again. */
  pauseMs?: number
  failures?: number
}

// A run that somebody else has settled, or taken up again since, stays as it is.
const settle = new Statement<{ id: string }>(
  sql<{
    id: string
  }>`update agent_run set state = ${param('state')}, message_id = ${param('messageId')}, error = ${param('error')},
      failures = ${param('failures')},
      due_at = case when ${param('state')}::text = 'due' then now() + ${param('pauseMs')}::float8 * interval '1 millisecond' end
    where account_id = ${param('account')} and id = ${param('id')} and state = 'due' and attempts = ${param('attempts')}
    returning id`,
)

/** Stores what came of a claimed run; false where it is not this process's any more. */
export async function settleRun(db: Scope, run: ClaimedRun, outcome: RunOutcome): Promise<boolean> {
  const { state, messageId = null, error = null, pauseMs = 0, failures = run.failures } = outcome
  const { id, attempts } = run
  return (await db.rows(settle, { id, attempts, state, messageId, error, pauseMs, failures })).length > 0
}
