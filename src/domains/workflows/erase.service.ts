import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'

// The words of a provider may name the person.
const erase = new Statement<never>(
  sql<never>`update agent_run set error = null, state = case when state = 'due' then 'dropped' else state end, due_at = null
    where account_id = ${param('account')} and conversation_id = ${param('conversationId')}`,
)

/** Takes off what agents did in a conversation what may tell of its contact, and drops what they were to do. */
export async function eraseRuns(db: Scope, { conversationId }: { conversationId: string }): Promise<void> {
  await db.rows(erase, { conversationId })
}
