import { referenceReads } from '../../kit/reference/index.js'
import { AiAgent } from './ai-agent.entity.js'
import { KnowledgeArticle } from './knowledge-article.entity.js'

/** The reads of AI employees, by name. */
export const aiAgentReads = referenceReads(AiAgent, { keepsDeleted: true })

/** The reads of articles, by name. */
export const articleReads = referenceReads(KnowledgeArticle)
