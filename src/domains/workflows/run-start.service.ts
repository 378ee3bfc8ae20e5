import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { newId } from '../../shared/ids.js'
import type { AgentRunKind } from './agent-run.entity.js'

// Another one of the kind that waits in the conversation does for this one too.
const put = new Statement<never>(
  sql<never>`insert into agent_run (id, account_id, conversation_id, ai_agent_id, kind, state, due_at)
    values (${param('id')}, ${param('account')}, ${param('conversationId')}, ${param('aiAgentId')}, ${param('kind')}, 'due',
      clock_timestamp() + ${param('afterMs')}::float8 * interval '1 millisecond')
    on conflict (account_id, conversation_id, kind) where due_at is not null do nothing`,
  { prepared: true },
)

/** Has an agent do its part in a conversation that the open transaction holds: the commit puts it into the queue. */
export function startRun(
  db: Scope,
  run: { conversationId: string; aiAgentId: string; kind: AgentRunKind; afterMs?: number },
): void {
  db.send(put, { id: newId(), afterMs: 0, ...run })
}
