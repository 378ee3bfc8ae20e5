import type { EntityManager } from '@mikro-orm/postgresql'
import type { Database } from '../../../src/database/index.js'
import { AiAgent, KnowledgeArticle } from '../../../src/domains/agents/index.js'
import { Campaign } from '../../../src/domains/campaigns/index.js'
import {
  ChannelIdentity,
  Conversation,
  ConversationNote,
  Message,
  SenderType,
} from '../../../src/domains/conversations/index.js'
import { Opportunity } from '../../../src/domains/opportunities/index.js'
import { Pipeline, Stage } from '../../../src/domains/pipelines/index.js'
import { Sector } from '../../../src/domains/reference/index.js'
import { User } from '../../../src/domains/users/index.js'
import { AgentRun, AgentRunKind, AgentRunState } from '../../../src/domains/workflows/index.js'
import { makeContact } from '../factories.js'

let counter = 0
const next = () => ++counter

/** What a test says of a message; the rest is made up. */
export type NewMessage = Partial<Omit<Message, 'conversationId' | 'accountId'>>

/** An AI agent of the account. */
export async function makeAiAgent(
  database: Database,
  accountId: string,
  overrides: Partial<AiAgent> = {},
): Promise<AiAgent> {
  const em = database.fork()
  const agent = em.create(AiAgent, { name: `Agent ${next()}`, type: 'whatsapp', ...overrides, accountId })
  await em.flush()
  return agent
}

/** Something that an agent knows, straight into the database. */
export async function makeArticle(
  database: Database,
  accountId: string,
  aiAgentId: string,
  overrides: Partial<KnowledgeArticle> = {},
): Promise<KnowledgeArticle> {
  const em = database.fork()
  const fields = { name: 'Prices', content: 'It costs 100.', language: 'portuguese' }
  const article = em.create(KnowledgeArticle, { ...fields, ...overrides, aiAgentId, accountId })
  await em.flush()
  return article
}

/** A conversation of the account, straight into the database, with messages a minute apart unless they say otherwise. */
export async function makeConversation(
  database: Database,
  accountId: string,
  { messages = [], ...overrides }: Partial<Conversation> & { messages?: NewMessage[] } = {},
): Promise<Conversation> {
  const em = database.fork()
  const conversation = em.create(Conversation, { channel: 'WHATSAPP', ...overrides, accountId })
  const start = Date.parse('2026-01-31T09:30:00.000Z')
  for (const [i, message] of messages.entries()) {
    const { channel } = conversation
    const sentAt = new Date(start + i * 60_000)
    const made = { senderType: SenderType.LEAD, content: `Message ${i + 1}`, channel, sentAt, ...message }
    em.create(Message, { ...made, conversationId: conversation.id, accountId })
  }
  await em.flush()
  if (overrides.updatedAt || messages.length > 0) await putBack(em, conversation.id, overrides)
  return conversation
}

/** The database puts its own times where it is written to; this puts back what was given, with the triggers off. */
function putBack(em: EntityManager, id: string, { updatedAt, lastMessageAt }: Partial<Conversation>): Promise<void> {
  return em.transactional(async (inside) => {
    await inside.execute('set local session_replication_role = replica')
    await inside.execute(
      'update conversation set updated_at = coalesce(?::timestamptz, updated_at), last_message_at = ?::timestamptz where id = ?',
      [updatedAt?.toISOString() ?? null, lastMessageAt?.toISOString() ?? null, id],
    )
  })
}

/** An opportunity of the account, of no contact, in the first stage of the default pipeline. */
export async function makeBareOpportunity(
  database: Database,
  accountId: string,
  overrides: Partial<Opportunity> = {},
): Promise<Opportunity> {
  const em = database.fork()
  const unfiltered = { filters: false } as const
  const pipeline = await em.findOneOrFail(Pipeline, { accountId, isDefault: true }, unfiltered)
  const stage = await em.findOneOrFail(Stage, { pipelineId: pipeline.id, position: 1 }, unfiltered)
  const place = { pipelineId: pipeline.id, stageId: stage.id, currency: 'BRL' }
  const opportunity = em.create(Opportunity, { title: `Opportunity ${next()}`, ...place, ...overrides, accountId })
  await em.flush()
  return opportunity
}

/** A record of every kind that a conversation can refer to, with names of its own, by the names of the references. */
export async function makeReferences(database: Database, accountId: string, contactId?: string) {
  const em = database.fork()
  const sector = em.create(Sector, { name: 'Inside sales', accountId })
  const user = em.create(User, { name: 'Bia', email: `bia.${accountId}@x.test`, sectorId: sector.id, accountId })
  const campaign = em.create(Campaign, { name: 'Spring', accountId })
  await em.flush()
  return {
    contactId: contactId ?? (await makeContact(database, accountId, { name: 'Ana' })).id,
    opportunityId: (await makeBareOpportunity(database, accountId, { title: 'Kit' })).id,
    campaignId: campaign.id,
    aiAgentId: (await makeAiAgent(database, accountId, { name: 'Sofia' })).id,
    assignedUserId: user.id,
    sectorId: sector.id,
  }
}

/** What an agent and the account's people leave of a conversation with a contact. */
export async function makeAtWork(
  database: Database,
  accountId: string,
  { contactId, conversationId }: { contactId: string; conversationId: string },
): Promise<void> {
  const em = database.fork()
  const agent = await makeAiAgent(database, accountId)
  em.create(ConversationNote, { accountId, conversationId, content: 'Wants a call' })
  em.create(ChannelIdentity, { accountId, contactId, kind: 'whatsapp', portfolioId: '1', userId: `BR.${next()}` })
  const refers = { accountId, conversationId, aiAgentId: agent.id }
  em.create(AgentRun, { ...refers, kind: AgentRunKind.REPLY, state: AgentRunState.FAILED, error: 'Refused' })
  await em.flush()
}
