import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { TenantOwned, timestamp } from '../../database/index.js'
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

/** Where a run stands. */
export enum AgentRunState {
  DUE = 'due',
  DONE = 'done',
  /** It was not needed any more: a person took over, the agent was paused, the conversation is over. */
  DROPPED = 'dropped',
  FAILED = 'failed',
}

/** A message that an agent is to compose; its own queue. */
@Entity()
@TenantOwned()
export class AgentRun {
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @ManyToOne(() => Account, { mapToPk: true, fieldName: 'account_id', deleteRule: 'cascade' })
  accountId!: string

  @ManyToOne(() => Conversation, { mapToPk: true, fieldName: 'conversation_id', deleteRule: 'cascade' })
  conversationId!: string

  @ManyToOne(() => AiAgent, { mapToPk: true, fieldName: 'ai_agent_id' })
  aiAgentId!: string

  @Property({ type: 'string', length: 16 })
  kind!: AgentRunKind

  @Property({ type: 'string', length: 16 })
  state!: AgentRunState

  /** What came of it. */
  @ManyToOne(() => Message, { mapToPk: true, fieldName: 'message_id', nullable: true })
  messageId?: string | null

  @Property({ type: 'integer', default: 0 })
  attempts: number & Opt = 0

  @Property({ type: 'integer', default: 0 })
  failures: number & Opt = 0

  /** When it is to be done, or, while that goes on, when whoever does it must have died. */
  @Property({ ...timestamp, nullable: true })
  dueAt?: Date | null

  @Property({ type: 'text', nullable: true })
  error?: string | null

  @Property({ ...timestamp, defaultRaw: 'clock_timestamp()' })
  createdAt!: Date & Opt
}
