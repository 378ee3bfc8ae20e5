import { defineDomain } from '../../kit/domain.js'
import { accounts } from '../accounts/index.js'
import { channels } from '../channels/index.js'
import { AiAgent } from './ai-agent.entity.js'
import { AiAgentResolver, KnowledgeArticleResolver, KnowledgeResolver } from './ai-agent.resolver.js'
import { KnowledgeArticle } from './knowledge-article.entity.js'

export { AiAgent, AiAgentStatus } from './ai-agent.entity.js'
export { agentDeleted } from './ai-agent.facts.js'
export { aiAgentReads } from './ai-agent.reads.js'
export { searchKnowledge } from './knowledge.service.js'
export type { KnowledgeHit } from './knowledge.types.js'
export { KnowledgeArticle } from './knowledge-article.entity.js'
export type { AgentCriterion, AgentScript } from './script.types.js'

/** AI employees. */
export const agents = defineDomain({
  name: 'agents',
  uses: [accounts, channels],
  entities: [AiAgent, KnowledgeArticle],
  resolvers: [AiAgentResolver, KnowledgeArticleResolver, KnowledgeResolver],
  permissions: {
    'knowledge:read': "search an AI employee's knowledge",
    'agents:read': 'list AI employees',
    'agents:run': { allows: 'talk to an AI employee in a sandbox', adminOnly: true },
    'agent_tools:execute': { allows: 'run the actions of an AI employee on real contacts', adminOnly: true },
  },
  demo: () => import('./demo/index.js'),
})
