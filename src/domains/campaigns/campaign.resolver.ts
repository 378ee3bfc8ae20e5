import type { GraphQLResolveInfo } from 'graphql'
import {
  Arg,
  Args,
  Ctx,
  Field,
  FieldResolver,
  ID,
  Info,
  Int,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql'
import { type Context, perRequest } from '../../database/index.js'
import { ComesAlong } from '../../kit/comes-along.js'
import { DeletedRecord } from '../../kit/deleted.js'
import { Example, MayFail } from '../../kit/documentation.js'
import { PageArgs } from '../../kit/list-args.js'
import { Pagination } from '../../kit/pagination.js'
import { ReadWith, Requires } from '../../kit/permissions.js'
import type { PageOf } from '../../kit/reads/index.js'
import { below, selectionOf } from '../../kit/selection.js'
import { notFound } from '../../shared/errors.js'
import { Sector, sectorReads } from '../reference/index.js'
import { User, userReads } from '../users/index.js'
import { Campaign } from './campaign.entity.js'
import { CampaignFilter, CreateCampaignInput, UpdateCampaignInput } from './campaign.inputs.js'
import { type CampaignRow, campaignReads } from './campaign.reads.js'
import { createCampaign, deleteCampaign, updateCampaign } from './campaign.service.js'

@ObjectType({ description: 'One page of a list of campaigns.', simpleResolvers: true })
@ReadWith('any')
export class CampaignPage {
  @Field(() => [Campaign], { description: 'The campaigns of the page.' })
  items!: Campaign[]

  @Field(() => Pagination, { description: 'Where the page stands in the list.' })
  pagination!: Pagination
}

@Resolver(() => Campaign)
export class CampaignResolver {
  @Query(() => CampaignPage, { description: "The account's campaigns, newest first." })
  @Requires('campaigns:read')
  campaigns(
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('filter', () => CampaignFilter, { nullable: true, description: 'Which campaigns to list; all if left out.' })
    filter: CampaignFilter | null,
    @Args(() => PageArgs) paging: PageArgs,
  ): Promise<PageOf<CampaignRow>> {
    return campaignReads.list(context, { filter, ...paging }, below(selectionOf(info), 'items'))
  }

  @Query(() => Campaign, { nullable: true, description: 'One campaign of the account; NOT_FOUND where there is none.' })
  @Requires('campaigns:read')
  @MayFail('NOT_FOUND')
  async campaign(
    @Ctx() { db }: Context,
    @Arg('id', () => ID, { description: 'The id of the campaign.' }) id: string,
  ): Promise<CampaignRow> {
    const campaign = await campaignReads.find(db, id)
    if (!campaign) throw notFound('campaign')
    return campaign
  }

  @Mutation(() => Campaign, { description: 'Creates a campaign.' })
  @Requires('settings:write')
  createCampaign(
    @Ctx() { db }: Context,
    @Arg('input', () => CreateCampaignInput, { description: 'The new campaign.' }) input: CreateCampaignInput,
  ): Promise<CampaignRow> {
    return createCampaign(db, input)
  }

  @Mutation(() => Campaign, { description: 'Changes the given fields of a campaign.' })
  @Requires('settings:write')
  @MayFail('NOT_FOUND')
  updateCampaign(
    @Ctx() { db }: Context,
    @Arg('id', () => ID, { description: 'The id of the campaign.' }) id: string,
    @Arg('input', () => UpdateCampaignInput, { description: 'What to change.' }) input: UpdateCampaignInput,
  ): Promise<CampaignRow> {
    return updateCampaign(db, id, input)
  }

  @Mutation(() => DeletedRecord, {
    description: 'Deletes a campaign; opportunities and conversations that came out of it still name it.',
  })
  @Requires('settings:write')
  @MayFail('NOT_FOUND')
  deleteCampaign(
    @Ctx() { db }: Context,
    @Arg('id', () => ID, { description: 'The id of the campaign.' }) id: string,
  ): Promise<DeletedRecord> {
    return deleteCampaign(db, id)
  }

  @FieldResolver(() => Int, { description: 'How many contacts are in the campaign.' })
  @Example(120)
  @ComesAlong()
  contactCount(@Root() { id }: CampaignRow, @Ctx() context: Context): Promise<number> {
    return perRequest(context, campaignReads.children.contactCount).load(id)
  }

  @FieldResolver(() => Sector, { nullable: true, description: 'The sector that the campaign belongs to.' })
  sector(@Root() { sectorId }: CampaignRow, @Ctx() context: Context): Promise<Sector | null> | null {
    return sectorId ? perRequest(context, sectorReads.loader).load(sectorId) : null
  }

  @FieldResolver(() => User, {
    nullable: true,
    description: 'The user who owns its opportunities where no rule names another.',
  })
  defaultResponsible(@Root() root: CampaignRow, @Ctx() context: Context): Promise<User | null> | null {
    const { defaultResponsibleId } = root
    return defaultResponsibleId ? perRequest(context, userReads.loader).load(defaultResponsibleId) : null
  }
}
