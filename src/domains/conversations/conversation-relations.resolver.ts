import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql'
import { type Context, perRequest } from '../../database/index.js'
import { AiAgent, aiAgentReads } from '../agents/index.js'
import { Campaign, campaignReads } from '../campaigns/index.js'
import { Contact, contactReads } from '../contacts/index.js'
import { Opportunity, opportunityReads } from '../opportunities/index.js'
import { Sector, sectorReads } from '../reference/index.js'
import { User, userReads } from '../users/index.js'
import { Conversation } from './conversation.entity.js'
import type { ConversationRow } from './conversation.reads.js'

type Related = Promise<object | null> | null

/** The records that a conversation refers to; each demands what reading the record itself would. */
@Resolver(() => Conversation)
export class ConversationRelationsResolver {
  @FieldResolver(() => Contact, { nullable: true, description: 'The contact.' })
  contact(@Root() { contactId }: ConversationRow, @Ctx() context: Context): Related {
    return contactId ? perRequest(context, contactReads.loader).load(contactId) : null
  }

  @FieldResolver(() => Opportunity, { nullable: true, description: 'The opportunity that it is about.' })
  opportunity(@Root() { opportunityId }: ConversationRow, @Ctx() context: Context): Related {
    return opportunityId ? perRequest(context, opportunityReads.loader).load(opportunityId) : null
  }

  @FieldResolver(() => Campaign, { nullable: true, description: 'The campaign that it came from.' })
  campaign(@Root() { campaignId }: ConversationRow, @Ctx() context: Context): Related {
    return campaignId ? perRequest(context, campaignReads.loader).load(campaignId) : null
  }

  @FieldResolver(() => AiAgent, { nullable: true, description: 'The agent that answers.' })
  aiAgent(@Root() { aiAgentId }: ConversationRow, @Ctx() context: Context): Related {
    return aiAgentId ? perRequest(context, aiAgentReads.loader).load(aiAgentId) : null
  }

  @FieldResolver(() => User, { nullable: true, description: 'The user who looks after it.' })
  assignedUser(@Root() { assignedUserId }: ConversationRow, @Ctx() context: Context): Related {
    return assignedUserId ? perRequest(context, userReads.loader).load(assignedUserId) : null
  }

  @FieldResolver(() => Sector, { nullable: true, description: 'The sector.' })
  sector(@Root() { sectorId }: ConversationRow, @Ctx() context: Context): Related {
    return sectorId ? perRequest(context, sectorReads.loader).load(sectorId) : null
  }
}
