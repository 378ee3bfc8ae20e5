import { within } from '../../database/index.js'
import { defineDomain } from '../../kit/domain.js'
import { defineQueue } from '../../kit/queue.js'
import { accounts } from '../accounts/index.js'
import { agents } from '../agents/index.js'
import { campaigns } from '../campaigns/index.js'
import { channels } from '../channels/index.js'
import { contactDeleted, contacts } from '../contacts/index.js'
import { contactUnlinked, opportunities, opportunityDeleted } from '../opportunities/index.js'
import { reference } from '../reference/index.js'
import { users } from '../users/index.js'
import { ChannelIdentity } from './channel-identity.entity.js'
import { Conversation } from './conversation.entity.js'
import { ConversationResolver } from './conversation.resolver.js'
import { conversationTally } from './conversation.tally.js'
import { ConversationNote } from './conversation-note.entity.js'
import { ConversationRelationsResolver } from './conversation-relations.resolver.js'
import { ConversationTalkResolver } from './conversation-talk.resolver.js'
import { Message } from './message.entity.js'
import { MessageReceipt } from './message-receipt.entity.js'
import { forgetReceipts } from './receipt.job.js'
import { eraseByOpportunity, eraseContact, unlinkOpportunity } from './unlink.service.js'

export { type ForAgent, giveToAgent, qualifyConversation, type Verdict } from './agent-part.service.js'
export { ChannelIdentity } from './channel-identity.entity.js'
export { Conversation, ConversationStatus } from './conversation.entity.js'
export { conversationErased, messageReceived } from './conversation.facts.js'
export { conversationTally } from './conversation.tally.js'
export { ConversationNote } from './conversation-note.entity.js'
export { recordGroupName } from './group-name.service.js'
export { handToPeople } from './hand-over.service.js'
export { type HeldConversation, holdConversation } from './hold.service.js'
export { recordInbound } from './inbound.service.js'
export type { GroupName, InboundMessage, Person, Receipt, RecordedMessage } from './inbound.types.js'
export { Message, MessageStatus, SenderType } from './message.entity.js'
export { MessageReceipt } from './message-receipt.entity.js'
export { type NewMessage, queueMessage } from './message-store.service.js'
export { type MessageWorkerOptions, startMessageWorker } from './message-worker.service.js'
export { recordReceipt } from './receipt.service.js'

/** What is said between the account and its contacts. */
export const conversations = defineDomain({
  name: 'conversations',
  uses: [accounts, reference, users, channels, agents, contacts, campaigns, opportunities],
  entities: [Conversation, Message, ConversationNote, ChannelIdentity, MessageReceipt],
  resolvers: [ConversationResolver, ConversationRelationsResolver, ConversationTalkResolver],
  tallies: [conversationTally],
  queues: [defineQueue('messages', 'message')],
  jobs: [forgetReceipts],
  permissions: {
    'conversations:read': 'list conversations and read their messages',
    'conversations:write': { allows: 'send messages, add notes and take over conversations', adminOnly: true },
  },
  notPersonal: {
    conversation: {
      channel: 'a kind of channel',
    },
    message: { channel: 'a kind of channel', kind: 'a kind of message' },
  },
  on: [
    within(contactUnlinked, eraseByOpportunity),
    within(contactDeleted, eraseContact),
    within(opportunityDeleted, unlinkOpportunity),
  ],
  demo: () => import('./demo/index.js'),
})
