import { Arg, Ctx, ID, Int, Query, Resolver } from 'type-graphql'
import type { Context } from '../../database/index.js'
import { MayFail } from '../../kit/documentation.js'
import { Requires } from '../../kit/permissions.js'
import { referenceResolver } from '../../kit/reference/index.js'
import { AiAgent } from './ai-agent.entity.js'
import {
  CreateAiAgentInput,
  CreateKnowledgeArticleInput,
  UpdateAiAgentInput,
  UpdateKnowledgeArticleInput,
} from './ai-agent.inputs.js'
import { aiAgentReads, articleReads } from './ai-agent.reads.js'
import { aiAgentWrites } from './ai-agent.service.js'
import { articleWrites, searchKnowledge } from './knowledge.service.js'
import { KnowledgeHit } from './knowledge.types.js'
import { KnowledgeArticle } from './knowledge-article.entity.js'

/** Lists and manages agents. */
export const AiAgentResolver = referenceResolver({
  entity: AiAgent,
  inputs: { create: CreateAiAgentInput, update: UpdateAiAgentInput },
  reads: aiAgentReads,
  writes: aiAgentWrites,
  fields: { one: 'aiAgent', many: 'aiAgents' },
  words: { one: 'agent', many: 'agents' },
  permissions: { read: 'agents:read' },
  uniqueName: false,
  says: { delete: ': it answers no longer, but its conversations still name it.' },
})

/** Lists and manages what agents know. */
export const KnowledgeArticleResolver = referenceResolver({
  entity: KnowledgeArticle,
  inputs: { create: CreateKnowledgeArticleInput, update: UpdateKnowledgeArticleInput },
  reads: articleReads,
  writes: articleWrites,
  fields: { one: 'knowledgeArticle', many: 'knowledgeArticles' },
  words: { one: 'article', many: 'articles' },
  permissions: { read: 'knowledge:read' },
  uniqueName: false,
  says: { delete: ': its agent knows it no longer.' },
})

@Resolver()
export class KnowledgeResolver {
  @Query(() => [KnowledgeHit], {
    nullable: true,
    description:
      'The articles of an agent that answer a question best, the best first; NOT_FOUND where there is no such agent.',
  })
  @Requires('knowledge:read')
  @MayFail('NOT_FOUND')
  searchKnowledge(
    @Ctx() { db }: Context,
    @Arg('aiAgentId', () => ID, { description: 'The id of the agent.' }) aiAgentId: string,
    @Arg('query', () => String, { description: 'Words, as people type them into a search.' }) query: string,
    @Arg('limit', () => Int, { defaultValue: 5, description: 'How many articles at most, from 1 to 20.' })
    limit: number,
  ): Promise<KnowledgeHit[]> {
    return searchKnowledge(db, aiAgentId, query, limit)
  }
}
