import type { EntityManager } from '@mikro-orm/postgresql'
import type { Contact } from '../../domains/contacts/index.js'
import { Conversation, ConversationStatus, Message } from '../../domains/conversations/index.js'
import type { Opportunity } from '../../domains/opportunities/index.js'
import { talks } from './data/conversations.js'
import type { Organisation } from './organisation.js'

const HOUR = 3_600_000

type Talk = (typeof talks)[number]

/** Makes the demo account's conversations, each about the first opportunity of its contact. */
export function makeConversations(
  em: EntityManager,
  accountId: string,
  organisation: Organisation,
  contacts: readonly Contact[],
  opportunities: readonly Opportunity[],
): void {
  for (const talk of talks) {
    const contact = contacts[talk.contact]!
    const opportunity = opportunities.find(({ contactId }) => contactId === contact.id)!
    makeConversation(em, accountId, organisation, talk, contact, opportunity)
  }
}

function makeConversation(
  em: EntityManager,
  accountId: string,
  { aiAgents, users }: Organisation,
  { channel, status, groupName, user, qualification, messages }: Talk,
  contact: Contact,
  opportunity: Opportunity,
): void {
  const start = opportunity.createdAt.getTime()
  // All of it lies in the past, however young the opportunity is.
  const pause = Math.min(3 * HOUR, (0.9 * (Date.now() - start)) / (messages.length + 1))
  const sentAt = messages.map((_, i) => new Date(start + (i + 1) * pause))
  const lastMessageAt = sentAt.at(-1)!
  const conversation = em.create(Conversation, {
    accountId,
    status,
    channel,
    isGroup: groupName !== undefined,
    groupName,
    contactId: contact.id,
    opportunityId: opportunity.id,
    campaignId: opportunity.campaignId,
    aiAgentId: aiAgents[channel === 'INSTAGRAM' ? 1 : 0]!.id,
    assignedUserId: user === undefined ? null : users[user]!.id,
    sectorId: opportunity.sectorId,
    qualificationScore: qualification?.score,
    qualificationStage: qualification?.stage,
    qualificationReasons: qualification?.reasons,
    objectionsHistory: qualification?.objections,
    lastMessageAt,
    createdAt: new Date(start + pause / 2),
  })
  for (const [i, message] of messages.entries()) {
    // Whoever answers has read what came before; what waits for a person has not been read.
    const readAt = sentAt[i + 1] ?? (status === ConversationStatus.CLOSED ? sentAt[i] : null)
    const at = { sentAt: sentAt[i]!, createdAt: sentAt[i]!, readAt }
    em.create(Message, { ...message, ...at, channel, accountId, conversationId: conversation.id })
  }
  contact.sourceChannel = channel.toLowerCase()
  contact.lastInteraction = lastMessageAt
}
