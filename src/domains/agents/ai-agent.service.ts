import { sql } from 'kysely'
import { param, rowLock, type Scope, Statement } from '../../database/index.js'
import type { DeletedRecord } from '../../kit/deleted.js'
import { ReferenceWrites } from '../../kit/reference/index.js'
import { type Fault, invalid } from '../../shared/errors.js'
import { channelAccountReads } from '../channels/index.js'
import { AiAgent } from './ai-agent.entity.js'
import { agentDeleted } from './ai-agent.facts.js'
import type { CreateAiAgentInput, UpdateAiAgentInput } from './ai-agent.inputs.js'
import { aiAgentReads } from './ai-agent.reads.js'

const agentLock = rowLock('ai_agent')
// The agent itself stays, for what names it; nobody reads any more what it knew.
const forget = new Statement<never>(
  sql<never>`delete from knowledge_article where account_id = ${param('account')} and ai_agent_id = ${param('agentId')}::uuid`,
)

const writes = new ReferenceWrites<AiAgent>({
  entity: AiAgent,
  reads: aiAgentReads,
  what: 'agent',
  table: 'ai_agent',
  beforeDelete: async (db, id) => {
    const agentId = id.toLowerCase()
    await db.announce(agentDeleted, { agentId })
    agentLock.toChange(db, agentId) // whoever gives it an article meanwhile is waited for
    await db.rows(forget, { agentId })
  },
})

/** The writes of agents. What one refers to must be there, and its lists have bounds. */
export const aiAgentWrites = {
  create: async (db: Scope, input: CreateAiAgentInput): Promise<AiAgent> => {
    await check(db, input)
    return writes.create(db, input as Partial<AiAgent>)
  },
  update: async (db: Scope, id: string, input: UpdateAiAgentInput): Promise<AiAgent> => {
    await check(db, input)
    return writes.update(db, id, input as Partial<AiAgent>)
  },
  delete: (db: Scope, id: string): Promise<DeletedRecord> => writes.delete(db, id),
}

const MAX_RULES = 100
const MAX_KEYWORDS = 50

async function check(db: Scope, input: UpdateAiAgentInput): Promise<void> {
  const faults: Fault[] = []
  for (const name of ['scripts', 'criteria'] as const) {
    const rules = input[name] ?? []
    if (rules.length > MAX_RULES) faults.push({ path: ['input', name], message: `must be at most ${MAX_RULES}` })
    for (const [i, { keywords }] of rules.entries()) {
      const path = ['input', name, i, 'keywords']
      if (keywords.length > MAX_KEYWORDS) faults.push({ path, message: `must be at most ${MAX_KEYWORDS}` })
      else if (!keywords.some((word) => /[\p{L}\p{N}]/u.test(word)))
        faults.push({ path, message: 'must have a word in it' })
    }
  }
  const { channelAccountId } = input
  if (channelAccountId && !(await channelAccountReads.find(db, channelAccountId))) {
    faults.push({ path: ['input', 'channelAccountId'], message: 'must be a channel account of the account' })
  }
  if (faults.length > 0) throw invalid(faults)
}
