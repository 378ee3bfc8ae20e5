import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { AppError } from '../../shared/errors.js'
import { contactOf, defineAction } from '../opportunities/index.js'
import { activate } from './activate.service.js'
import { AgentActionInput, AgentActionResult } from './agent-action.types.js'

const entry = new Statement<{ agentId: string | null }>(
  sql<{ agentId: string | null }>`select p.entry_agent_id as "agentId" from opportunity o
      join pipeline p on p.account_id = o.account_id and p.id = o.pipeline_id
    where o.account_id = ${param('account')} and o.id = ${param('opportunityId')}`,
  { prepared: true },
)

const entryOfPipeline = new Statement<{ agentId: string | null }>(
  sql<{ agentId: string | null }>`select entry_agent_id as "agentId" from pipeline
    where account_id = ${param('account')} and id = ${param('pipelineId')}`,
  { prepared: true },
)

/** The agent that the pipeline of an opportunity begins with, if any. */
async function entryAgentOf(db: Scope, opportunityId: string): Promise<string | null> {
  return (await db.rows(entry, { opportunityId }))[0]?.agentId ?? null
}

const TAKEN = 'A person has taken the conversation with this contact over: it is left alone.'

/** An agent that begins a conversation with the contact of a new opportunity: the one that is named, else the pipeline's. */
export const agentAction = defineAction<{ agentId?: string; channelAccountId?: string }, AgentActionResult>({
  name: 'agent',
  description: 'An agent that begins a conversation with the contact.',
  input: AgentActionInput,
  block: AgentActionResult,
  effect: 'database',
  failed: (error) => ({ activated: false, conversationId: null, workflowStarted: false, error }),
  async decides(db, { pipelineId }) {
    const [{ agentId } = { agentId: null }] = await db.rows(entryOfPipeline, { pipelineId })
    return agentId === null ? null : { agentId }
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
