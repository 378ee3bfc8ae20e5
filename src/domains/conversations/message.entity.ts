import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { Field, ID, ObjectType, registerEnumType } from 'type-graphql'
import { TenantOwned, timestamp } from '../../database/index.js'
import type { Template } from '../../integrations/channels/index.js'
import { Example, ExampleRecords, exampleId, WrittenOutside } from '../../kit/documentation.js'
import { ReadWith } from '../../kit/permissions.js'
import { DateTime } from '../../kit/scalars.js'
import { newId } from '../../shared/ids.js'
import { AiAgent } from '../agents/ai-agent.entity.js'
import { ChannelAccount } from '../channels/channel-account.entity.js'
import { User } from '../users/user.entity.js'
import { Conversation } from './conversation.entity.js'

/** Who wrote a message. */
export enum SenderType {
  LEAD = 'lead',
  AI = 'ai',
  USER = 'user',
}
registerEnumType(SenderType, {
  name: 'SenderType',
  description: 'Who wrote a message.',
  valuesConfig: {
    LEAD: { description: 'The contact.' },
    AI: { description: 'An agent.' },
    USER: { description: 'A user of the account.' },
  },
})

/** What became of a message that the account sends. */
export enum MessageStatus {
  QUEUED = 'queued',
  SENDING = 'sending',
  SENT = 'sent',
  DELIVERED = 'delivered',
  READ = 'read',
  FAILED = 'failed',
  UNKNOWN = 'unknown',
}
registerEnumType(MessageStatus, {
  name: 'MessageStatus',
  description: 'What became of a message that the account sends.',
  valuesConfig: {
    QUEUED: { description: 'It waits to be sent, for the first time or again.' },
    SENDING: { description: 'It is being handed to the provider.' },
    SENT: { description: 'The provider has taken it.' },
    DELIVERED: { description: 'It has reached the person.' },
    READ: { description: 'The person has read it.' },
    FAILED: { description: 'It was not sent, or did not arrive, and will not be sent again.' },
    UNKNOWN: { description: 'It may have been sent: the connection or the process ended first. It is not sent again.' },
  },
})

@ObjectType({ description: 'One message of a conversation.', simpleResolvers: true })
@Entity()
@TenantOwned()
@ReadWith('conversations:read')
@ExampleRecords(
  {
    senderType: 'user',
    content: 'Hello Ana, may I send you the proposal for the solar kit?',
    status: 'read',
    sentAt: '2026-01-31T09:20:00.000Z',
    deliveredAt: '2026-01-31T09:20:01.000Z',
    readAt: '2026-01-31T09:26:00.000Z',
    createdAt: '2026-01-31T09:20:00.000Z',
  },
  {
    id: exampleId('Message from the lead'),
    senderType: 'lead',
    content: 'Yes, please send it to me.',
    status: null,
    sentAt: '2026-01-31T09:28:00.000Z',
    deliveredAt: null,
    readAt: '2026-01-31T09:30:00.000Z',
    createdAt: '2026-01-31T09:28:00.000Z',
  },
)
export class Message {
  @Field(() => ID, { description: 'The unique id of the message.' })
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @Property({ type: 'uuid' })
  accountId!: string

  @ManyToOne(() => Conversation, { mapToPk: true, fieldName: 'conversation_id', deleteRule: 'cascade' })
  conversationId!: string

  @Field(() => SenderType, { description: 'Who wrote it.' })
  @Property({ type: 'string', length: 8 })
  senderType!: SenderType

  @WrittenOutside()
  @Field(() => String, { description: 'The text; empty when its contact was deleted.' })
  @Property({ type: 'text' })
  content!: string

  @Field(() => String, { description: 'The channel that it went through.' })
  @Property({ type: 'string', length: 32 })
  @Example('LINKEDIN')
  channel!: string

  @Field(() => DateTime, { description: 'When it was sent.' })
  @Property({ ...timestamp })
  sentAt!: Date

  @Field(() => DateTime, { nullable: true, description: 'When it was read.' })
  @Property({ ...timestamp, nullable: true })
  readAt?: Date | null

  @Field(() => String, { description: 'text, template, or what else was sent, such as image.' })
  @Example('text')
  @Property({ type: 'string', length: 16, default: 'text' })
  kind: string & Opt = 'text'

  @Field(() => MessageStatus, {
    nullable: true,
    description: 'What became of one that the account sends; null of what came in, and where nobody knows.',
  })
  @Property({ type: 'string', length: 16, nullable: true })
  status?: MessageStatus | null

  @Field(() => String, { nullable: true, description: 'Why it was not sent, or not yet, or why nobody knows.' })
  @Example(null)
  @Property({ type: 'text', nullable: true })
  error?: string | null

  @Field(() => ID, { nullable: true, description: 'The id of the user who wrote it.' })
  @ManyToOne(() => User, { mapToPk: true, fieldName: 'user_id', nullable: true })
  userId?: string | null

  @Field(() => ID, { nullable: true, description: 'The id of the agent that wrote it.' })
  @ManyToOne(() => AiAgent, { mapToPk: true, fieldName: 'ai_agent_id', nullable: true })
  aiAgentId?: string | null

  @WrittenOutside()
  @Field(() => String, { nullable: true, description: 'Who of a group wrote it.' })
  @Property({ type: 'string', length: 255, nullable: true })
  authorName?: string | null

  @ManyToOne(() => ChannelAccount, { mapToPk: true, fieldName: 'channel_account_id', nullable: true })
  channelAccountId?: string | null

  /** What the provider calls it; null once the contact is deleted. */
  @Property({ type: 'text', nullable: true })
  providerId?: string | null

  /** An HMAC of that, which stays. */
  @Property({ type: 'blob', columnType: 'bytea', nullable: true })
  providerKey?: Buffer | null

  /** The provider's id of the message that it answers or is about. */
  @Property({ type: 'text', nullable: true })
  refersTo?: string | null

  /** What is sent in the place of the text. */
  @Property({ type: 'json', nullable: true })
  template?: Template | null

  @Property({ type: 'integer', default: 0 })
  attempts: number & Opt = 0

  /** When it is to be sent, or, while that goes on, when whoever does it must have died. */
  @Property({ ...timestamp, nullable: true })
  dueAt?: Date | null

  @Field(() => DateTime, { nullable: true, description: 'When it reached the person.' })
  @Property({ ...timestamp, nullable: true })
  deliveredAt?: Date | null

  @Field(() => DateTime, { description: 'When it was stored.' })
  @Property({ ...timestamp, defaultRaw: 'clock_timestamp()' })
  createdAt!: Date & Opt
}
