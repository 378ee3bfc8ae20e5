import { sql } from 'kysely'
import { oneAtATime, param, type Scope, Statement } from '../../database/index.js'
import { tellChange } from '../../kit/changes.js'

const clear = new Statement<{ id: string }>(
  sql<{ id: string }>`update pipeline set entry_agent_id = null
    where account_id = ${param('account')} and entry_agent_id = ${param('agentId')} returning id`,
)

/** Takes an agent that is about to be deleted off the pipelines that begin with it. Who is giving it one waits, or is waited for. */
export async function clearEntryAgent(db: Scope, { agentId }: { agentId: string }): Promise<void> {
  oneAtATime(db, 'pipelines')
  for (const { id } of await db.rows(clear, { agentId })) {
    await tellChange(db, 'pipeline', id, 'updated', ['entryAgentId'])
  }
}
