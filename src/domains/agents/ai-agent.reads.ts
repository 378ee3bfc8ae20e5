import { Reads } from '../../kit/reads/index.js'
import { AiAgent } from './ai-agent.entity.js'

/** The reads of AI employees. */
export const aiAgentReads = new Reads<AiAgent>({ entity: AiAgent, sorts: { created_at: 'createdAt' } })
