import type { GraphQLResolveInfo } from 'graphql'
import {
  Arg,
  Args,
  Ctx,
  Field,
  FieldResolver,
  ID,
  Info,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql'
import { type Context, perRequest } from '../../database/index.js'
import { DeletedRecord } from '../../kit/deleted.js'
import { ExampleErrors, MayFail } from '../../kit/documentation.js'
import { PageArgs } from '../../kit/list-args.js'
import { Pagination } from '../../kit/pagination.js'
import { ReadWith, Requires } from '../../kit/permissions.js'
import type { PageOf } from '../../kit/reads/index.js'
import { selectionOf } from '../../kit/selection.js'
import { Contact } from '../contacts/contact.entity.js'
import { type ContactRow, contactReads } from '../contacts/index.js'
import { Campaign, CampaignContact, CampaignContactStatus } from './campaign.entity.js'
import { CampaignContactInput } from './campaign.inputs.js'
import { type CampaignRow, campaignReads } from './campaign.reads.js'
import { type CampaignContactRow, membershipReads } from './membership.reads.js'
import {
  type AddedContactRows,
  addCampaignContact,
  removeCampaignContact,
  updateCampaignContact,
} from './membership.service.js'

@ObjectType({ description: 'One page of the contacts of a campaign.', simpleResolvers: true })
@ReadWith('any')
export class CampaignContactPage {
  @Field(() => [CampaignContact], { description: 'The memberships of the page.' })
  items!: CampaignContact[]

  @Field(() => Pagination, { description: 'Where the page stands in the list.' })
  pagination!: Pagination
}

@ObjectType({ description: 'A contact that has just come into a campaign.', simpleResolvers: true })
@ReadWith('any')
export class AddedCampaignContact {
  @Field(() => CampaignContact, { description: 'The membership.' })
  campaignContact!: CampaignContact

  @Field(() => Contact, { description: 'The contact, who may have existed before.' })
  contact!: Contact

  @Field(() => Campaign, { description: 'The campaign.' })
  campaign!: Campaign
}

@Resolver(() => CampaignContact)
export class CampaignContactResolver {
  @Query(() => CampaignContactPage, {
    description: 'The contacts of a campaign, the latest first; none where there is no such campaign.',
  })
  @Requires('campaigns:read')
  campaignContacts(
    @Ctx() context: Context,
    @Arg('campaignId', () => ID, { description: 'The id of the campaign.' }) campaignId: string,
    @Arg('status', () => String, {
      nullable: true,
      description: 'How far they are, without regard to case, such as approved; all if left out.',
    })
    status: string | null,
    @Args(() => PageArgs) paging: PageArgs,
  ): Promise<PageOf<CampaignContactRow>> {
    return membershipReads.list(context, { filter: { campaignId, status }, ...paging })
  }

  @Mutation(() => AddedCampaignContact, {
    description:
      'Puts a person into a campaign: a contact who exists, found by profile or email, or a new one. DUPLICATE_ERROR ' +
      'with `existingStatus` when that contact is in the campaign already.',
  })
  @Requires('campaigns:write')
  @MayFail('NOT_FOUND', 'DUPLICATE_ERROR')
  @ExampleErrors({
    DUPLICATE_ERROR: { message: 'The contact is in this campaign already.', existing_status: 'invite_sent' },
  })
  addCampaignContact(
    @Ctx() { db }: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('campaignId', () => ID, { description: 'The id of the campaign.' }) campaignId: string,
    @Arg('input', () => CampaignContactInput, { description: 'The person.' }) input: CampaignContactInput,
  ): Promise<AddedContactRows> {
    return addCampaignContact(db, campaignId, input, selectionOf(info))
  }

  @Mutation(() => CampaignContact, { description: 'Sets how far a contact is in a campaign.' })
  @Requires('settings:write')
  @MayFail('NOT_FOUND')
  updateCampaignContact(
    @Ctx() { db }: Context,
    @Arg('id', () => ID, { description: 'The id of the membership.' }) id: string,
    @Arg('status', () => CampaignContactStatus, { description: 'How far it is now.' }) status: CampaignContactStatus,
  ): Promise<CampaignContactRow> {
    return updateCampaignContact(db, id, status)
  }

  @Mutation(() => DeletedRecord, { description: 'Takes a contact out of a campaign; the contact itself stays.' })
  @Requires('settings:write')
  @MayFail('NOT_FOUND')
  removeCampaignContact(
    @Ctx() { db }: Context,
    @Arg('id', () => ID, { description: 'The id of the membership.' }) id: string,
  ): Promise<DeletedRecord> {
    return removeCampaignContact(db, id)
  }

  @FieldResolver(() => Contact, { description: 'The contact.' })
  contact(@Root() { contactId }: CampaignContactRow, @Ctx() context: Context): Promise<ContactRow | null> {
    return perRequest(context, contactReads.loader).load(contactId)
  }

  @FieldResolver(() => Campaign, { description: 'The campaign.' })
  campaign(@Root() { campaignId }: CampaignContactRow, @Ctx() context: Context): Promise<CampaignRow | null> {
    return perRequest(context, campaignReads.loader).load(campaignId)
  }
}
