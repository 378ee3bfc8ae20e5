import { sql } from 'kysely'
import { equals, hasWord, Reads, refersTo, since, until, where } from '../../kit/reads/index.js'
import { Conversation } from './conversation.entity.js'
import { type ConversationFilter, ConversationSortField } from './conversation.inputs.js'
import { conversationTally } from './conversation.tally.js'

/** A conversation as a read brings it: the columns and labels that were asked for. */
export type ConversationRow = Partial<Conversation> & { id: string }

// Many conversations have these in common.
const common = true

/** The reads of conversations. */
export const conversationReads = new Reads<ConversationRow, ConversationFilter, ConversationSortField>({
  entity: Conversation,
  relations: {
    contact: {
      by: 'contactId',
      labels: { contactName: 'name', contactEmail: 'email', contactPhone: 'phone', contactCompany: 'company' },
    },
    opportunity: { by: 'opportunityId', labels: { opportunityTitle: 'title' } },
    campaign: { by: 'campaignId', labels: { campaignName: 'name' } },
    aiAgent: { by: 'aiAgentId', labels: { aiAgentName: 'name' } },
    assignedUser: { by: 'assignedUserId', labels: { assignedUserName: 'name', assignedUserEmail: 'email' } },
    sector: { by: 'sectorId', labels: { sectorName: 'name' } },
  },
  own: refersTo('assignedUserId', { leadsTo: ConversationSortField.CREATED_AT }),
  filters: {
    contactId: refersTo('contactId'),
    opportunityId: refersTo('opportunityId'),
    campaignId: refersTo('campaignId'),
    assignedUserId: refersTo('assignedUserId'),
    status: hasWord('status', { common }),
    channel: where((of, value) => sql`upper(${of('channel')}) = upper(${value})`, { common }),
    isGroup: equals('isGroup', { common }),
    createdAfter: since('createdAt', { common }),
    createdBefore: until('createdAt', { common }),
    updatedAfter: since('updatedAt', { recent: 'updated_at' }),
    updatedBefore: until('updatedAt'),
    lastMessageAfter: since('lastMessageAt', { recent: 'last_message_at' }),
    lastMessageBefore: until('lastMessageAt'),
  } satisfies Record<keyof ConversationFilter, unknown>,
  sorts: {
    [ConversationSortField.CREATED_AT]: 'createdAt',
    [ConversationSortField.UPDATED_AT]: 'updatedAt',
    [ConversationSortField.LAST_MESSAGE_AT]: 'lastMessageAt',
  },
  tallies: [conversationTally],
  syncs: [
    { after: 'updatedAfter', by: ConversationSortField.UPDATED_AT },
    { after: 'lastMessageAfter', by: ConversationSortField.LAST_MESSAGE_AT, implied: true },
  ],
})
