import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { AppError } from '../../shared/errors.js'
import { contactOf, defineAction } from '../opportunities/index.js'
import { activate, TAKEN } from './activate.service.js'
import { AgentActionInput, AgentActionResult } from './agent-action.types.js'

// One that was deleted begins with nobody; one that is paused says so.
const entry = new Statement<{ agentId: string }>(
  sql<{ agentId: string }>`select a.id as "agentId" from opportunity o
      join pipeline p on p.account_id = o.account_id and p.id = o.pipeline_id
      join ai_agent a on a.account_id = p.account_id and a.id = p.entry_agent_id and a.deleted_at is null
    where o.account_id = ${param('account')} and o.id = ${param('opportunityId')}`,
  { prepared: true },
)

/** The agent that the pipeline of an opportunity begins with, if any. */
async function entryAgentOf(db: Scope, opportunityId: string): Promise<string | undefined> {
  return (await db.rows(entry, { opportunityId }))[0]?.agentId
}

const opened = new Statement<{ isOpened: boolean }>(
  sql<{ isOpened: boolean }>`select exists (select from conversation c
      join agent_run r on r.account_id = c.account_id and r.conversation_id = c.id
    where c.account_id = ${param('account')} and c.contact_id = ${param('contactId')}
      and r.ai_agent_id = ${param('agentId')} and r.kind = 'opening' and r.state in ('due', 'done')) as "isOpened"`,
  { prepared: true },
)

/** Whether an agent has begun with a contact before: nobody is greeted anew because a card was moved to and fro. */
const knows = async (db: Scope, agentId: string, contactId: string): Promise<boolean> =>
  (await db.rows(opened, { agentId, contactId }))[0]!.isOpened

/** An agent that begins a conversation with the contact of a new opportunity: the one that is named, else the pipeline's. */
export const agentAction = defineAction<{ agentId?: string; channelAccountId?: string }, AgentActionResult>({
  name: 'agent',
  description: 'An agent that begins a conversation with the contact.',
  input: AgentActionInput,
  block: AgentActionResult,
  effect: 'database',
  failed: (error) => ({ activated: false, conversationId: null, workflowStarted: false, error }),
  async decides(db, { opportunityId, contactId, isMoved }) {
    const agentId = await entryAgentOf(db, opportunityId)
    return agentId && !(isMoved && (await knows(db, agentId, contactId))) ? { agentId } : null
  },
  async run(db, { agentId, channelAccountId }, target) {
    const { opportunityId } = target
    const contactId = contactOf(target)
    const named = agentId ?? (await entryAgentOf(db, opportunityId))
    if (!named) {
      throw new AppError(
        'VALIDATION_ERROR',
        'A channel account was given, but no agent: say which one is to be activated.',
      )
    }
    const { conversationId, started } = await activate(db, {
      agentId: named,
      channelAccountId,
      contactId,
      opportunityId,
    })
    return { activated: started, conversationId, workflowStarted: started, error: started ? null : TAKEN }
  },
})
