import { within } from '../../database/index.js'
import { defineDomain } from '../../kit/domain.js'
import { accounts } from '../accounts/index.js'
import { agents } from '../agents/index.js'
import { campaigns } from '../campaigns/index.js'
import { contactDeleted, contacts } from '../contacts/index.js'
import { contactUnlinked, opportunities, opportunityDeleted } from '../opportunities/index.js'
import { reference } from '../reference/index.js'
import { users } from '../users/index.js'
import { Conversation, Message } from './conversation.entity.js'
import { ConversationResolver } from './conversation.resolver.js'
import { conversationTally } from './conversation.tally.js'
import { ConversationRelationsResolver } from './conversation-relations.resolver.js'
import { eraseByOpportunity, eraseContact, unlinkOpportunity } from './unlink.service.js'

export { Conversation, ConversationStatus, Message, SenderType } from './conversation.entity.js'
export { conversationTally } from './conversation.tally.js'

/** What is said between the account and its contacts. */
export const conversations = defineDomain({
  name: 'conversations',
  uses: [accounts, reference, users, agents, contacts, campaigns, opportunities],
  entities: [Conversation, Message],
  resolvers: [ConversationResolver, ConversationRelationsResolver],
  tallies: [conversationTally],
  permissions: {
    'conversations:read': 'list conversations and read their messages',
    'conversations:write': { allows: 'send messages, add notes and take over conversations', adminOnly: true },
  },
  notPersonal: {
    conversation: {
      channel: 'a kind of channel',
    },
    message: { channel: 'a kind of channel' },
  },
  on: [
    within(contactUnlinked, eraseByOpportunity),
    within(contactDeleted, eraseContact),
    within(opportunityDeleted, unlinkOpportunity),
  ],
  demo: () => import('./demo/index.js'),
})
