import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { Field, ID, ObjectType, registerEnumType } from 'type-graphql'
import { TenantOwned, timestamp } from '../../database/index.js'
import { Example, ExampleRecords } from '../../kit/documentation.js'
import { ReadWith } from '../../kit/permissions.js'
import { DateTime } from '../../kit/scalars.js'
import { newId } from '../../shared/ids.js'
import { Account } from '../accounts/account.entity.js'
import { Contact } from '../contacts/contact.entity.js'
import { Sector } from '../reference/sector.entity.js'
import { User } from '../users/user.entity.js'

/** How far a campaign is. */
export enum CampaignStatus {
  DRAFT = 'draft',
  ACTIVE = 'active',
  PAUSED = 'paused',
  COMPLETED = 'completed',
}
registerEnumType(CampaignStatus, {
  name: 'CampaignStatus',
  description: 'How far a campaign is.',
  valuesConfig: {
    DRAFT: { description: 'It is being prepared.' },
    ACTIVE: { description: 'It runs.' },
    PAUSED: { description: 'It was stopped for a time.' },
    COMPLETED: { description: 'It is over.' },
  },
})

/** How far a contact is in a campaign. */
export enum CampaignContactStatus {
  COLLECTED = 'collected',
  APPROVED = 'approved',
  REJECTED = 'rejected',
  INVITE_QUEUED = 'invite_queued',
  INVITE_SENT = 'invite_sent',
  INVITE_ACCEPTED = 'invite_accepted',
  INVITE_EXPIRED = 'invite_expired',
  CONVERSATION_STARTED = 'conversation_started',
  CONVERSATION_ENDED = 'conversation_ended',
}
registerEnumType(CampaignContactStatus, {
  name: 'CampaignContactStatus',
  description: 'How far a contact is in a campaign.',
  valuesConfig: {
    COLLECTED: { description: 'It was found and waits for approval.' },
    APPROVED: { description: 'It is to be contacted.' },
    REJECTED: { description: 'It is not to be contacted.' },
    INVITE_QUEUED: { description: 'An invitation waits to be sent.' },
    INVITE_SENT: { description: 'An invitation was sent.' },
    INVITE_ACCEPTED: { description: 'The invitation was accepted.' },
    INVITE_EXPIRED: { description: 'The invitation was not answered in time.' },
    CONVERSATION_STARTED: { description: 'A conversation is under way.' },
    CONVERSATION_ENDED: { description: 'The conversation is over.' },
  },
})

@ObjectType({ description: 'An effort to win contacts, with a beginning and an end.', simpleResolvers: true })
@Entity()
@TenantOwned()
@ReadWith('campaigns:read')
@ExampleRecords({ status: CampaignStatus.ACTIVE })
export class Campaign {
  @Field(() => ID, { description: 'The unique id of the campaign.' })
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @ManyToOne(() => Account, { mapToPk: true, fieldName: 'account_id', deleteRule: 'cascade' })
  accountId!: string

  @Field(() => String, { description: 'The name.' })
  @Property({ type: 'string', length: 255 })
  @Example('Spring outreach')
  name!: string

  @Field(() => String, { nullable: true, description: 'What the campaign is about.' })
  @Property({ type: 'text', nullable: true })
  @Example('Solar companies in the south.')
  description?: string | null

  @Field(() => CampaignStatus, { description: 'How far the campaign is.' })
  @Property({ type: 'string', length: 16, default: CampaignStatus.DRAFT })
  status: CampaignStatus & Opt = CampaignStatus.DRAFT

  @Field(() => String, { nullable: true, description: 'The channel that it runs through, such as linkedin.' })
  @Property({ type: 'string', length: 32, nullable: true })
  @Example('linkedin')
  channel?: string | null

  @Field(() => Boolean, { description: 'Whether steps of the campaign happen by themselves.' })
  @Property({ type: 'boolean', default: false })
  automationActive: boolean & Opt = false

  @Field(() => ID, { nullable: true, description: 'The id of the sector that the campaign belongs to.' })
  @ManyToOne(() => Sector, { mapToPk: true, fieldName: 'sector_id', nullable: true })
  sectorId?: string | null

  @Field(() => ID, {
    nullable: true,
    description: 'The id of the user who owns its opportunities where no rule names another.',
  })
  @ManyToOne(() => User, { mapToPk: true, fieldName: 'default_responsible_id', nullable: true })
  defaultResponsibleId?: string | null

  @Field(() => DateTime, { description: 'When the campaign was created.' })
  @Property({ ...timestamp, defaultRaw: "'infinity'" })
  createdAt!: Date & Opt

  @Field(() => DateTime, { description: 'When the campaign last changed; how many contacts it has does not count.' })
  @Property({ ...timestamp, defaultRaw: "'infinity'" })
  updatedAt!: Date & Opt

  /** When it was deleted: it is listed no longer, but what refers to it still names it. */
  @Property({ ...timestamp, nullable: true })
  deletedAt?: Date | null
}

@ObjectType({ description: 'That a contact is in a campaign.', simpleResolvers: true })
@Entity()
@TenantOwned()
@ReadWith('campaigns:read')
@ExampleRecords({ status: CampaignContactStatus.APPROVED })
export class CampaignContact {
  @Field(() => ID, { description: 'The unique id of the membership.' })
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @Property({ type: 'uuid' })
  accountId!: string

  @Field(() => ID, { description: 'The id of the campaign.' })
  @ManyToOne(() => Campaign, { mapToPk: true, fieldName: 'campaign_id', deleteRule: 'cascade' })
  campaignId!: string

  @Field(() => ID, { description: 'The id of the contact.' })
  @ManyToOne(() => Contact, { mapToPk: true, fieldName: 'contact_id', deleteRule: 'cascade' })
  contactId!: string

  @Field(() => CampaignContactStatus, { description: 'How far the contact is in the campaign.' })
  @Property({ type: 'string', length: 32, default: CampaignContactStatus.COLLECTED })
  status: CampaignContactStatus & Opt = CampaignContactStatus.COLLECTED

  @Field(() => DateTime, { description: 'When the contact came into the campaign.' })
  @Property({ ...timestamp, defaultRaw: "'infinity'" })
  createdAt!: Date & Opt

  @Field(() => DateTime, { description: 'When the membership last changed.' })
  @Property({ ...timestamp, defaultRaw: "'infinity'" })
  updatedAt!: Date & Opt
}
