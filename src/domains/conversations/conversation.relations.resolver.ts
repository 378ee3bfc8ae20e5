import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql'
import { type Context, perRequest } from '../../database/index.js'
import { Requires } from '../../shared/permissions.js'
import { User } from '../accounts/user.entity.js'
import { Campaign } from '../campaigns/campaign.entity.js'
import { Contact } from '../contacts/contact.entity.js'
import { Opportunity } from '../opportunities/opportunity.entity.js'
import { Sector } from '../reference/sector.entity.js'
import { AiAgent } from './ai-agent.entity.js'
import type { ConversationRow } from './conversation.columns.js'
import { Conversation } from './conversation.entity.js'
import {
  aiAgentLoader,
  campaignLoader,
  contactLoader,
  opportunityLoader,
  sectorLoader,
  userLoader,
} from './conversation.loaders.js'

/** The records that a conversation refers to; each demands what reading the record itself would. */
@Resolver(() => Conversation)
export class ConversationRelationsResolver {
  @FieldResolver(() => Contact, { nullable: true, description: 'The contact.' })
  @Requires('contacts:read')
  contact(@Root() { contactId }: ConversationRow, @Ctx() context: Context): Promise<Contact | null> | null {
    return contactId ? perRequest(context, contactLoader).load(contactId) : null
  }

  @FieldResolver(() => Opportunity, { nullable: true, description: 'The opportunity that it is about.' })
  @Requires('opportunities:read')
  opportunity(@Root() { opportunityId }: ConversationRow, @Ctx() context: Context): Promise<Opportunity | null> | null {
    return opportunityId ? perRequest(context, opportunityLoader).load(opportunityId) : null
  }

  @FieldResolver(() => Campaign, { nullable: true, description: 'The campaign that it came from.' })
  @Requires('campaigns:read')
  campaign(@Root() { campaignId }: ConversationRow, @Ctx() context: Context): Promise<Campaign | null> | null {
    return campaignId ? perRequest(context, campaignLoader).load(campaignId) : null
  }

  @FieldResolver(() => AiAgent, { nullable: true, description: 'The agent that answers.' })
  @Requires('agents:read')
  aiAgent(@Root() { aiAgentId }: ConversationRow, @Ctx() context: Context): Promise<AiAgent | null> | null {
    return aiAgentId ? perRequest(context, aiAgentLoader).load(aiAgentId) : null
  }

  @FieldResolver(() => User, { nullable: true, description: 'The user who looks after it.' })
  @Requires('users:read')
  assignedUser(@Root() { assignedUserId }: ConversationRow, @Ctx() context: Context): Promise<User | null> | null {
    return assignedUserId ? perRequest(context, userLoader).load(assignedUserId) : null
  }

  @FieldResolver(() => Sector, { nullable: true, description: 'The sector.' })
  @Requires('sectors:read')
  sector(@Root() { sectorId }: ConversationRow, @Ctx() context: Context): Promise<Sector | null> | null {
    return sectorId ? perRequest(context, sectorLoader).load(sectorId) : null
  }
}
