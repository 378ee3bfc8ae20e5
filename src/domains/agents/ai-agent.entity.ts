import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { Field, ID, ObjectType, registerEnumType } from 'type-graphql'
import { TenantOwned, timestamp } from '../../database/index.js'
import { Example } from '../../kit/documentation.js'
import { ReadWith } from '../../kit/permissions.js'
import { DateTime } from '../../kit/scalars.js'
import { newId } from '../../shared/ids.js'
import { Account } from '../accounts/account.entity.js'
import { ChannelAccount } from '../channels/channel-account.entity.js'
import { AgentCriterion, AgentScript, AgentTemplate } from './script.types.js'

/** Whether an agent works. */
export enum AiAgentStatus {
  ACTIVE = 'active',
  PAUSED = 'paused',
}
registerEnumType(AiAgentStatus, {
  name: 'AiAgentStatus',
  description: 'Whether an agent works.',
  valuesConfig: {
    ACTIVE: { description: 'It does.' },
    PAUSED: { description: 'It begins nothing and answers nothing.' },
  },
})

@ObjectType({ description: 'An AI employee that answers in conversations.', simpleResolvers: true })
@Entity()
@TenantOwned()
@ReadWith('agents:read')
export class AiAgent {
  @Field(() => ID, { description: 'The unique id of the agent.' })
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @ManyToOne(() => Account, { mapToPk: true, fieldName: 'account_id', deleteRule: 'cascade' })
  accountId!: string

  @Field(() => String, { description: 'The name.' })
  @Property({ type: 'string', length: 255 })
  @Example('Sofia')
  name!: string

  @Field(() => String, { description: 'What it answers on, such as whatsapp.' })
  @Property({ type: 'string', length: 32 })
  @Example('linkedin')
  type!: string

  @Field(() => AiAgentStatus, { description: 'Whether it works, as it is set.' })
  @Property({ type: 'string', length: 16, default: AiAgentStatus.ACTIVE })
  @Example('active')
  status: AiAgentStatus & Opt = AiAgentStatus.ACTIVE

  @Field(() => Boolean, { description: 'Whether it works.' })
  @Property({ type: 'boolean', generated: "(status = 'active') stored" })
  readonly isActive!: boolean & Opt

  @Field(() => ID, {
    nullable: true,
    description: 'The id of the channel account that it sends from, unless a call names another.',
  })
  @ManyToOne(() => ChannelAccount, { mapToPk: true, fieldName: 'channel_account_id', nullable: true })
  channelAccountId?: string | null

  @Example('You are Sofia of Aurora Energia: friendly, brief, and never in a hurry.')
  @Field(() => String, { nullable: true, description: 'Who it is and how it talks.' })
  @Property({ type: 'text', nullable: true })
  persona?: string | null

  @Field(() => String, {
    nullable: true,
    description: 'What it says first, with variables; also what its opening template says.',
  })
  @Example('Hello {{first_name}}, have you thought of a solar roof?')
  @Property({ type: 'text', nullable: true })
  opening?: string | null

  @Field(() => AgentTemplate, { nullable: true, description: 'The approved template that opens its conversations.' })
  @Property({ type: 'json', nullable: true })
  openingTemplate?: AgentTemplate | null

  @Field(() => [AgentScript], { description: 'What it answers to what; the first that fits is taken.' })
  @Property({ type: 'json', defaultRaw: "'[]'" })
  scripts: AgentScript[] & Opt = []

  @Field(() => String, {
    nullable: true,
    description: 'What it answers where no script fits; nothing where there is none.',
  })
  @Example('I will ask a colleague and come back to you.')
  @Property({ type: 'text', nullable: true })
  fallback?: string | null

  @Field(() => [AgentCriterion], { description: 'By what it qualifies leads.' })
  @Property({ type: 'json', defaultRaw: "'[]'" })
  criteria: AgentCriterion[] & Opt = []

  @Field(() => DateTime, { description: 'When the agent was created.' })
  @Property({ ...timestamp, defaultRaw: "'infinity'" })
  createdAt!: Date & Opt

  @Field(() => DateTime, { description: 'When the agent last changed.' })
  @Property({ ...timestamp, defaultRaw: "'infinity'" })
  updatedAt!: Date & Opt

  /** When it was deleted: it works no longer, but its conversations still name it. */
  @Property({ ...timestamp, nullable: true })
  deletedAt?: Date | null
}
