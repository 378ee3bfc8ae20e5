import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { TenantOwned, timestamp } from '../../database/index.js'
import { newId } from '../../shared/ids.js'
import { Account } from '../accounts/account.entity.js'
import { User } from '../users/user.entity.js'
import { Conversation } from './conversation.entity.js'

/** What the account's people note of a conversation; it is sent to nobody. */
@Entity()
@TenantOwned()
export class ConversationNote {
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @ManyToOne(() => Account, { mapToPk: true, fieldName: 'account_id', deleteRule: 'cascade' })
  accountId!: string

  @ManyToOne(() => Conversation, { mapToPk: true, fieldName: 'conversation_id', deleteRule: 'cascade' })
  conversationId!: string

  @ManyToOne(() => User, { mapToPk: true, fieldName: 'user_id', nullable: true })
  userId?: string | null

  @Property({ type: 'text' })
  content!: string

  @Property({ ...timestamp, defaultRaw: 'clock_timestamp()' })
  createdAt!: Date & Opt
}
