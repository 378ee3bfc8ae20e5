import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql'
import { TenantOwned, timestamp } from '../../database/index.js'
import { Example, ExampleRecords, exampleId, WrittenOutside } from '../../kit/documentation.js'
import { ReadWith } from '../../kit/permissions.js'
import { DateTime } from '../../kit/scalars.js'
import { newId } from '../../shared/ids.js'
import { Account } from '../accounts/account.entity.js'
import { AiAgent } from '../agents/ai-agent.entity.js'
import { Campaign } from '../campaigns/campaign.entity.js'
import { ChannelAccount } from '../channels/channel-account.entity.js'
import { Contact } from '../contacts/contact.entity.js'
import { Opportunity } from '../opportunities/opportunity.entity.js'
import { Sector } from '../reference/sector.entity.js'
import { User } from '../users/user.entity.js'

/** Who answers in a conversation. */
export enum ConversationStatus {
  ACTIVE = 'active',
  MANUAL = 'manual',
  CLOSED = 'closed',
}
registerEnumType(ConversationStatus, {
  name: 'ConversationStatus',
  description: 'Who answers in a conversation.',
  valuesConfig: {
    ACTIVE: { description: 'An agent answers.' },
    MANUAL: { description: 'A person has taken it over.' },
    CLOSED: { description: 'It is over.' },
  },
})

@ObjectType({ description: 'An exchange of messages with a contact or a group.', simpleResolvers: true })
@Entity()
@TenantOwned()
@ReadWith('conversations:read')
@ExampleRecords({ isGroup: false, groupName: null, lastMessageAt: '2026-01-31T09:28:00.000Z' })
export class Conversation {
  @Field(() => ID, { description: 'The unique id of the conversation.' })
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @ManyToOne(() => Account, { mapToPk: true, fieldName: 'account_id', deleteRule: 'cascade' })
  accountId!: string

  @Field(() => ConversationStatus, { description: 'Who answers.' })
  @Property({ type: 'string', length: 16, default: ConversationStatus.ACTIVE })
  status: ConversationStatus & Opt = ConversationStatus.ACTIVE

  @Field(() => String, { description: 'The channel, such as LINKEDIN, WHATSAPP or INSTAGRAM.' })
  @Property({ type: 'string', length: 32 })
  @Example('LINKEDIN')
  channel!: string

  @Field(() => Boolean, { description: 'Whether it is with a group.' })
  @Property({ type: 'boolean', default: false })
  isGroup: boolean & Opt = false

  @WrittenOutside()
  @Field(() => String, { nullable: true, description: 'The name of the group.' })
  @Property({ type: 'string', length: 255, nullable: true })
  @Example('Buyers')
  groupName?: string | null

  @Field(() => ID, { nullable: true, description: 'The id of the contact.' })
  @ManyToOne(() => Contact, { mapToPk: true, fieldName: 'contact_id', nullable: true })
  contactId?: string | null

  @Field(() => ID, { nullable: true, description: 'The id of the opportunity that it is about.' })
  @ManyToOne(() => Opportunity, { mapToPk: true, fieldName: 'opportunity_id', nullable: true })
  opportunityId?: string | null

  @Field(() => ID, { nullable: true, description: 'The id of the campaign that it came from.' })
  @ManyToOne(() => Campaign, { mapToPk: true, fieldName: 'campaign_id', nullable: true })
  campaignId?: string | null

  @Field(() => ID, { nullable: true, description: 'The id of the agent that answers.' })
  @ManyToOne(() => AiAgent, { mapToPk: true, fieldName: 'ai_agent_id', nullable: true })
  aiAgentId?: string | null

  @Field(() => ID, { nullable: true, description: 'The id of the user who looks after it.' })
  @ManyToOne(() => User, { mapToPk: true, fieldName: 'assigned_user_id', nullable: true })
  @Example(exampleId('User'))
  assignedUserId?: string | null

  @Field(() => ID, { nullable: true, description: 'The id of the sector.' })
  @ManyToOne(() => Sector, { mapToPk: true, fieldName: 'sector_id', nullable: true })
  sectorId?: string | null

  @Field(() => Int, { nullable: true, description: 'How well the lead fits, as the agent scored it.' })
  @Property({ type: 'integer', nullable: true })
  @Example(80)
  qualificationScore?: number | null

  @WrittenOutside()
  @Field(() => String, { nullable: true, description: 'How the agent classified the lead.' })
  @Property({ type: 'string', length: 255, nullable: true })
  @Example('hot')
  qualificationStage?: string | null

  @WrittenOutside()
  @Field(() => [String], { nullable: true, description: 'Why the agent scored it so.' })
  @Property({ type: 'json', nullable: true })
  @Example(['Has a budget'])
  qualificationReasons?: string[] | null

  @WrittenOutside()
  @Field(() => [String], { nullable: true, description: 'The objections that were raised so far.' })
  @Property({ type: 'json', nullable: true })
  @Example(['Too expensive'])
  objectionsHistory?: string[] | null

  @Field(() => DateTime, { nullable: true, description: 'When the latest message was recorded.' })
  @Property({ ...timestamp, nullable: true })
  lastMessageAt?: Date | null

  @Field(() => ID, { nullable: true, description: 'The id of the channel account that it goes through.' })
  @ManyToOne(() => ChannelAccount, { mapToPk: true, fieldName: 'channel_account_id', nullable: true })
  channelAccountId?: string | null

  /** The provider's id of the group. */
  @Property({ type: 'string', length: 255, nullable: true })
  groupId?: string | null

  /** Since when the group is called so, as the provider tells: what is told late of a name before is known by it. */
  @Property({ ...timestamp, nullable: true })
  groupNamedAt?: Date | null

  @Field(() => DateTime, { nullable: true, description: 'When the person last wrote, as the provider tells.' })
  @Property({ ...timestamp, nullable: true })
  lastInboundAt?: Date | null

  @Field(() => DateTime, { description: 'When the conversation was created.' })
  @Property({ ...timestamp, defaultRaw: "'infinity'" })
  createdAt!: Date & Opt

  @Field(() => DateTime, { description: 'When the conversation last changed; a label that is renamed does not count.' })
  @Property({ ...timestamp, defaultRaw: "'infinity'" })
  updatedAt!: Date & Opt

  // What the records that it refers to are called: no columns of its own, the reads bring them along.

  @WrittenOutside()
  @Field(() => String, { nullable: true, description: 'The name of the contact.' })
  @Example('Ana Souza')
  contactName?: string | null

  @Field(() => String, { nullable: true, description: 'The email address of the contact.' })
  @Example('ana.souza@example.com')
  contactEmail?: string | null

  @Field(() => String, { nullable: true, description: 'The phone number of the contact.' })
  @Example('+5511987654321')
  contactPhone?: string | null

  @WrittenOutside()
  @Field(() => String, { nullable: true, description: 'The company of the contact.' })
  @Example('Aurora Energia')
  contactCompany?: string | null

  @WrittenOutside()
  @Field(() => String, { nullable: true, description: 'The title of the opportunity.' })
  @Example('Ana Souza')
  opportunityTitle?: string | null

  @Field(() => String, { nullable: true, description: 'The name of the campaign.' })
  @Example('Spring outreach')
  campaignName?: string | null

  @Field(() => String, { nullable: true, description: 'The name of the agent.' })
  @Example('Sofia')
  aiAgentName?: string | null

  @Field(() => String, { nullable: true, description: 'The name of the user who looks after it.' })
  @Example('Bia Ramos')
  assignedUserName?: string | null

  @Field(() => String, { nullable: true, description: 'The email address of the user who looks after it.' })
  @Example('bia.ramos@example.com')
  assignedUserEmail?: string | null

  @Field(() => String, { nullable: true, description: 'The name of the sector.' })
  @Example('Inside sales')
  sectorName?: string | null
}
