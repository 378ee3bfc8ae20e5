import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql'
import { TenantOwned, timestamp } from '../../database/index.js'
import { ReadWith } from '../../kit/permissions.js'
import { DateTime } from '../../kit/scalars.js'
import { newId } from '../../shared/ids.js'
import { Account } from '../accounts/account.entity.js'
import { AiAgent } from '../agents/ai-agent.entity.js'
import { Conversation } from '../conversations/conversation.entity.js'
import { Message } from '../conversations/message.entity.js'

/** What an agent does once in a conversation: it opens it, or answers. */
export enum AgentRunKind {
  OPENING = 'opening',
  REPLY = 'reply',
}
registerEnumType(AgentRunKind, {
  name: 'AgentRunKind',
  description: 'What an agent does once in a conversation.',
  valuesConfig: {
    OPENING: { description: 'It writes first.' },
    REPLY: { description: 'It answers what the person has written.' },
  },
})

/** Where a run stands. */
export enum AgentRunState {
  DUE = 'due',
  DONE = 'done',
  /** It was not needed any more: a person took over, the agent was paused, the conversation is over. */
  DROPPED = 'dropped',
  FAILED = 'failed',
}
registerEnumType(AgentRunState, {
  name: 'AgentRunState',
  description: 'Where that stands.',
  valuesConfig: {
    DUE: { description: 'It is to be done, for the first time or again, or is being done.' },
    DONE: { description: 'It is done; the message, if there was anything to say, is sent.' },
    DROPPED: { description: 'It was not wanted any more: a person took over, say, or the agent was paused.' },
    FAILED: { description: 'It could not be done. Who had written is for people to answer.' },
  },
})

/** A message that an agent is to compose; its own queue. */
@ObjectType({ description: 'What an agent does, or did, once in a conversation.', simpleResolvers: true })
@Entity()
@TenantOwned()
@ReadWith('conversations:read')
export class AgentRun {
  @Field(() => ID, { description: 'The unique id of it.' })
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @ManyToOne(() => Account, { mapToPk: true, fieldName: 'account_id', deleteRule: 'cascade' })
  accountId!: string

  @ManyToOne(() => Conversation, { mapToPk: true, fieldName: 'conversation_id', deleteRule: 'cascade' })
  conversationId!: string

  @Field(() => ID, { description: 'The id of the agent.' })
  @ManyToOne(() => AiAgent, { mapToPk: true, fieldName: 'ai_agent_id' })
  aiAgentId!: string

  @Field(() => AgentRunKind, { description: 'What it does.' })
  @Property({ type: 'string', length: 16 })
  kind!: AgentRunKind

  @Field(() => AgentRunState, { description: 'Where it stands.' })
  @Property({ type: 'string', length: 16 })
  state!: AgentRunState

  /** What came of it. */
  @Field(() => ID, { nullable: true, description: 'The id of the message that came of it.' })
  @ManyToOne(() => Message, { mapToPk: true, fieldName: 'message_id', nullable: true })
  messageId?: string | null

  @Property({ type: 'integer', default: 0 })
  attempts: number & Opt = 0

  @Field(() => Int, { description: 'How often it failed.' })
  @Property({ type: 'integer', default: 0 })
  failures: number & Opt = 0

  /** When it is to be done, or, while that goes on, when whoever does it must have died. */
  @Field(() => DateTime, {
    nullable: true,
    description: 'When it is to be done, or, while that goes on, when it is taken up again if nothing is heard of it.',
  })
  @Property({ ...timestamp, nullable: true })
  dueAt?: Date | null

  @Field(() => String, {
    nullable: true,
    description: 'Why nothing came of it, or not yet, or why people have the conversation.',
  })
  @Property({ type: 'text', nullable: true })
  error?: string | null

  @Field(() => DateTime, { description: 'When it was asked for.' })
  @Property({ ...timestamp, defaultRaw: 'clock_timestamp()' })
  createdAt!: Date & Opt
}
