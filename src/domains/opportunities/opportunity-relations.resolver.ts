import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql'
import { type Context, perRequest } from '../../database/index.js'
import { ComesAlong } from '../../kit/comes-along.js'
import { AfterErasure } from '../../kit/erasure.js'
import { Campaign, campaignReads } from '../campaigns/index.js'
import { Contact, contactReads } from '../contacts/index.js'
import { Pipeline, pipelineReads, Stage, stageReads } from '../pipelines/index.js'
import { DiscardReason, discardReasonReads, Sector, sectorReads } from '../reference/index.js'
import { User, userReads } from '../users/index.js'
import { OpportunityComment } from './comment.entity.js'
import { Opportunity } from './opportunity.entity.js'
import { type OpportunityRow, opportunityReads } from './opportunity.reads.js'
import { OpportunityProduct } from './product-line.entity.js'

type Related<T> = Promise<T | null> | null

/** The records around an opportunity, each kind in one statement for all opportunities of a request. */
@Resolver(() => Opportunity)
export class OpportunityRelationsResolver {
  @FieldResolver(() => Pipeline, { description: 'The pipeline.' })
  pipeline(@Root() { pipelineId }: OpportunityRow, @Ctx() context: Context): Related<object> {
    return perRequest(context, pipelineReads.loader).load(pipelineId!)
  }

  @FieldResolver(() => Stage, { description: 'The stage that it stands in.' })
  stage(@Root() { stageId }: OpportunityRow, @Ctx() context: Context): Related<object> {
    return perRequest(context, stageReads.loader).load(stageId!)
  }

  @FieldResolver(() => Contact, { nullable: true, description: 'The contact; null when that was deleted.' })
  contact(@Root() { contactId }: OpportunityRow, @Ctx() context: Context): Related<object> {
    return contactId ? perRequest(context, contactReads.loader).load(contactId) : null
  }

  @FieldResolver(() => User, { nullable: true, description: 'The user who works on it.' })
  owner(@Root() { ownerUserId }: OpportunityRow, @Ctx() context: Context): Related<object> {
    return ownerUserId ? perRequest(context, userReads.loader).load(ownerUserId) : null
  }

  @FieldResolver(() => Sector, { nullable: true, description: 'The sector.' })
  sector(@Root() { sectorId }: OpportunityRow, @Ctx() context: Context): Related<object> {
    return sectorId ? perRequest(context, sectorReads.loader).load(sectorId) : null
  }

  @FieldResolver(() => Campaign, { nullable: true, description: 'The campaign that it came from.' })
  campaign(@Root() { campaignId }: OpportunityRow, @Ctx() context: Context): Related<object> {
    return campaignId ? perRequest(context, campaignReads.loader).load(campaignId) : null
  }

  @FieldResolver(() => DiscardReason, { nullable: true, description: 'Why it was discarded or lost.' })
  discardReason(@Root() { discardReasonId }: OpportunityRow, @Ctx() context: Context): Related<object> {
    return discardReasonId ? perRequest(context, discardReasonReads.loader).load(discardReasonId) : null
  }

  @FieldResolver(() => [OpportunityProduct], { description: 'Its products, in the order in which they were added.' })
  @ComesAlong()
  products(@Root() { id }: OpportunityRow, @Ctx() context: Context): Promise<OpportunityProduct[]> {
    return perRequest(context, opportunityReads.children.products).load(id)
  }

  @FieldResolver(() => [OpportunityComment], { description: 'The comments on it, oldest first.' })
  @ComesAlong()
  @AfterErasure([])
  comments(@Root() { id }: OpportunityRow, @Ctx() context: Context): Promise<OpportunityComment[]> {
    return perRequest(context, opportunityReads.children.comments).load(id)
  }
}
