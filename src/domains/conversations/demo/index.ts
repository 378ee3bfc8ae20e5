import type { DemoWork } from '../../../kit/demo.js'
import { agents } from '../../agents/index.js'
import { type Contact, contacts } from '../../contacts/index.js'
import { type Opportunity, opportunities } from '../../opportunities/index.js'
import { users } from '../../users/index.js'
import { Conversation, ConversationStatus } from '../conversation.entity.js'
import { Message } from '../message.entity.js'
import { talks } from './data.js'

const HOUR = 3_600_000

type Talk = (typeof talks)[number]

/** Makes the demo account's conversations, each about the first opportunity of its contact. */
export function makeDemo(work: DemoWork) {
  const people = work.made(contacts).contacts
  const leads = work.made(opportunities).opportunities
  for (const talk of talks) {
    const contact = people[talk.contact]!
    makeConversation(work, talk, contact, leads.find(({ contactId }) => contactId === contact.id)!)
  }
  return { made: {} }
}

function makeConversation(
  { em, accountId, made }: DemoWork,
  { channel, status, groupName, user, qualification, messages }: Talk,
  contact: Contact,
  opportunity: Opportunity,
): void {
  const { aiAgents } = made(agents)
  const staff = made(users).users
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
    assignedUserId: user === undefined ? null : staff[user]!.id,
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
  made(contacts).interacted(contact, channel.toLowerCase(), lastMessageAt)
}
