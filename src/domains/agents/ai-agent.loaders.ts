import { sql } from 'kysely'
import { loaderOf, param, Statement } from '../../database/index.js'
import type { AiAgent } from './ai-agent.entity.js'

/** A loader of AI agents by id. */
export const aiAgentLoader = loaderOf(
  new Statement<AiAgent>(
    sql<AiAgent>`select a.id, a.name, a.type, a.is_active as "isActive", a.created_at as "createdAt",
      a.updated_at as "updatedAt"
    from ai_agent a where a.account_id = ${param('account')} and a.id = any(${param('ids')}::uuid[])`,
    { prepared: true },
  ),
)
