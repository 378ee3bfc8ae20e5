import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { AgentRunKind } from './agent-run.entity.js'
import { PAUSE_MS } from './run-settle.service.js'
import { startRun } from './run-start.service.js'

const agentOf = new Statement<{ aiAgentId: string }>(
  sql<{ aiAgentId: string }>`select ai_agent_id as "aiAgentId" from conversation
    where account_id = ${param('account')} and id = ${param('conversationId')} and status = 'active' and group_id is null
      and ai_agent_id is not null`,
  { prepared: true },
)

/** Has the agent of a conversation answer what just came in, where it is the agent that answers. */
export async function answer(db: Scope, { conversationId }: { conversationId: string }): Promise<void> {
  const [found] = await db.rows(agentOf, { conversationId })
  if (!found) return
  startRun(db, { conversationId, aiAgentId: found.aiAgentId, kind: AgentRunKind.REPLY, afterMs: PAUSE_MS })
}
