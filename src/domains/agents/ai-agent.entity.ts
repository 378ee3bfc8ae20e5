import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { Field, ID, ObjectType } from 'type-graphql'
import { TenantOwned, timestamp } from '../../database/index.js'
import type { Template } from '../../integrations/channels/index.js'
import { Example } from '../../kit/documentation.js'
import { ReadWith } from '../../kit/permissions.js'
import { DateTime } from '../../kit/scalars.js'
import { newId } from '../../shared/ids.js'
import { Account } from '../accounts/account.entity.js'
import { ChannelAccount } from '../channels/channel-account.entity.js'
import type { AgentCriterion, AgentScript } from './script.types.js'

/** Whether an agent works. */
export enum AiAgentStatus {
  ACTIVE = 'active',
  PAUSED = 'paused',
}

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

  @Property({ type: 'string', length: 16, default: AiAgentStatus.ACTIVE })
  status: AiAgentStatus & Opt = AiAgentStatus.ACTIVE

  @Field(() => Boolean, { description: 'Whether it works.' })
  @Property({ type: 'boolean', generated: "(status = 'active') stored" })
  readonly isActive!: boolean & Opt

  /** What it sends from unless a caller names another. */
  @ManyToOne(() => ChannelAccount, { mapToPk: true, fieldName: 'channel_account_id', nullable: true })
  channelAccountId?: string | null

  /** Who it is and how it talks. */
  @Property({ type: 'text', nullable: true })
  persona?: string | null

  /** What it says first, with variables; it also says what the opening template says. */
  @Property({ type: 'text', nullable: true })
  opening?: string | null

  /** The approved template that opens conversations; parameters are texts with variables. */
  @Property({ type: 'json', nullable: true })
  openingTemplate?: Template | null

  /** What it answers to what, first match first. */
  @Property({ type: 'json', defaultRaw: "'[]'" })
  scripts: AgentScript[] & Opt = []

  /** What it answers where no script fits; nothing where there is none. */
  @Property({ type: 'text', nullable: true })
  fallback?: string | null

  /** By what it qualifies leads. */
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
