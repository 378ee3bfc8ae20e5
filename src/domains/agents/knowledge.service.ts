import { type RawBuilder, sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { ReferenceWrites } from '../../kit/reference/index.js'
import { invalid, notFound } from '../../shared/errors.js'
import { isUuid } from '../../shared/ids.js'
import type { CreateKnowledgeArticleInput, UpdateKnowledgeArticleInput } from './ai-agent.inputs.js'
import { aiAgentReads, articleReads } from './ai-agent.reads.js'
import type { KnowledgeHit } from './knowledge.types.js'
import { KnowledgeArticle } from './knowledge-article.entity.js'

const writes = new ReferenceWrites<KnowledgeArticle>({
  entity: KnowledgeArticle,
  reads: articleReads,
  what: 'article',
  table: 'knowledge_article',
})

/** By country, in which language an account writes; PostgreSQL's plain configuration where nobody knows. */
const LANGUAGE = sql`case country
  when 'BR' then 'portuguese' when 'PT' then 'portuguese' when 'AO' then 'portuguese' when 'MZ' then 'portuguese'
  when 'ES' then 'spanish' when 'MX' then 'spanish' when 'AR' then 'spanish' when 'CO' then 'spanish'
  when 'CL' then 'spanish' when 'PE' then 'spanish' when 'UY' then 'spanish' when 'EC' then 'spanish'
  when 'US' then 'english' when 'GB' then 'english' when 'IE' then 'english' when 'AU' then 'english'
  when 'CA' then 'english' when 'NZ' then 'english' when 'DE' then 'german' when 'AT' then 'german'
  when 'FR' then 'french' when 'IT' then 'italian' when 'NL' then 'dutch' else 'simple' end`

const language = new Statement<{ language: string }>(
  sql<{ language: string }>`select ${LANGUAGE} as language from account where id = ${param('account')}`,
)

// Whoever deletes the agent meanwhile waits, and takes the article along.
const hold = new Statement<{ id: string }>(
  sql<{
    id: string
  }>`select id from ai_agent where account_id = ${param('account')} and id = ${param('aiAgentId')}::uuid
    and deleted_at is null for share`,
)

/** The writes of articles, which are found in the language of the account. */
export const articleWrites = {
  create: async (db: Scope, { aiAgentId, ...fields }: CreateKnowledgeArticleInput): Promise<KnowledgeArticle> => {
    return db.transaction(async () => {
      const [agent] = isUuid(aiAgentId) ? await db.rows(hold, { aiAgentId }) : []
      if (!agent) throw invalid([{ path: ['input', 'aiAgentId'], message: 'must be an agent of the account' }])
      const [spoken] = await db.rows(language, {})
      return writes.create(db, { ...fields, aiAgentId: agent.id, ...spoken })
    })
  },
  update: (db: Scope, id: string, input: UpdateKnowledgeArticleInput): Promise<KnowledgeArticle> =>
    writes.update(db, id, input),
  delete: (db: Scope, id: string) => writes.delete(db, id),
}

/** A query for any of the words of the question. */
const anyOf = (config: RawBuilder<unknown>, question: RawBuilder<unknown>) => sql`coalesce((select string_agg(
    '''' || replace(replace(lexeme, '\\', '\\\\'), '''', '''''') || '''', ' | ')
  from unnest(to_tsvector(${config}, ${question})))::tsquery, ''::tsquery)`

// The words as the language bends them, or as they stand, without accents. One with all of them comes before others.
const search = new Statement<KnowledgeHit>(
  sql<KnowledgeHit>`with spoken as (
      select (${LANGUAGE})::regconfig as config from account where id = ${param('account')}),
    asked as (
      select websearch_to_tsquery(config, ${param('query')}::text) || websearch_to_tsquery('simple', fold(${param('query')}::text)) as whole,
        ${anyOf(sql`config`, sql`${param('query')}::text`)} || ${anyOf(sql`'simple'`, sql`fold(${param('query')}::text)`)} as part
      from spoken)
    select k.id, k.name, k.content,
      (2 * ts_rank_cd(k.words, asked.whole) + ts_rank(k.words, asked.part))::float8 as rank
    from knowledge_article k, asked
    where k.account_id = ${param('account')} and k.ai_agent_id = ${param('aiAgentId')}::uuid
      and (k.words @@ asked.whole or k.words @@ asked.part)
    order by rank desc, k.id limit ${param('limit')}`,
)

const MAX_HITS = 20

/** The articles of an agent that answer a question best, the best first. */
export async function searchKnowledge(
  db: Scope,
  aiAgentId: string,
  query: string,
  limit: number,
): Promise<KnowledgeHit[]> {
  const agent = isUuid(aiAgentId) ? await aiAgentReads.find(db, aiAgentId) : undefined
  if (!agent) throw notFound('agent')
  return db.rows(search, { aiAgentId: agent.id, query, limit: Math.min(Math.max(limit, 1), MAX_HITS) })
}
