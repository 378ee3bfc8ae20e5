import { within } from '../../database/index.js'
import { defineDomain } from '../../kit/domain.js'
import { defineQueue } from '../../kit/queue.js'
import { accounts } from '../accounts/index.js'
import { agents } from '../agents/index.js'
import { channels } from '../channels/index.js'
import { contacts } from '../contacts/index.js'
import { conversationErased, conversations, messageReceived } from '../conversations/index.js'
import { opportunities } from '../opportunities/index.js'
import { agentAction } from './agent-action.service.js'
import { AgentRun } from './agent-run.entity.js'
import { AiUsage } from './ai-usage.entity.js'
import { answer } from './answer.service.js'
import { ChatResolver } from './chat.resolver.js'
import { eraseRuns } from './erase.service.js'
import { ErrandResolver } from './errand.resolver.js'
import { OwnAiBudget } from './own-ai-budget.entity.js'
import { WorkflowResolver } from './workflow.resolver.js'

export { type Activated, type Activation, activate } from './activate.service.js'
export { AgentRun, AgentRunKind, AgentRunState } from './agent-run.entity.js'
export { type AgentWorkerOptions, startAgentWorker } from './agent-worker.service.js'
export { aiComposer } from './ai-composer.service.js'
export { AiUsage } from './ai-usage.entity.js'
export { dailyTokens } from './budget.service.js'
export {
  type Answer,
  type Composer,
  type ComposerTask,
  type Composition,
  composer,
  NotComposed,
  type Qualification,
  type Said,
} from './composer.service.js'
export { scriptedComposer } from './scripted-composer.service.js'
export { AI_ERRORS, type Rehearsal, type TriedOut, tryOut } from './try-out.service.js'

/** What agents do: they open conversations and answer in them. */
export const workflows = defineDomain({
  name: 'workflows',
  uses: [accounts, channels, agents, contacts, opportunities, conversations],
  entities: [AgentRun, AiUsage, OwnAiBudget],
  queues: [defineQueue('agent_runs', 'agent_run')],
  resolvers: [WorkflowResolver, ChatResolver, ErrandResolver],
  actions: [agentAction],
  on: [within(messageReceived, answer), within(conversationErased, eraseRuns)],
})
