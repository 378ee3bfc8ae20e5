import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { Field, ID, ObjectType } from 'type-graphql'
import { TenantOwned, timestamp } from '../../database/index.js'
import { Example } from '../../kit/documentation.js'
import { ReadWith } from '../../kit/permissions.js'
import { DateTime } from '../../kit/scalars.js'
import { newId } from '../../shared/ids.js'
import { Account } from '../accounts/account.entity.js'
import { User } from '../users/user.entity.js'
import { Conversation } from './conversation.entity.js'

@ObjectType({
  description: "What the account's people note of a conversation; it is sent to nobody.",
  simpleResolvers: true,
})
@Entity()
@TenantOwned()
@ReadWith('conversations:read')
export class ConversationNote {
  @Field(() => ID, { description: 'The unique id of the note.' })
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @ManyToOne(() => Account, { mapToPk: true, fieldName: 'account_id', deleteRule: 'cascade' })
  accountId!: string

  @ManyToOne(() => Conversation, { mapToPk: true, fieldName: 'conversation_id', deleteRule: 'cascade' })
  conversationId!: string

  @Field(() => ID, { nullable: true, description: 'The id of the user who wrote it; null of a program.' })
  @ManyToOne(() => User, { mapToPk: true, fieldName: 'user_id', nullable: true })
  userId?: string | null

  @Example('Wants a visit before the end of the month.')
  @Field(() => String, { description: 'The text.' })
  @Property({ type: 'text' })
  content!: string

  @Field(() => DateTime, { description: 'When it was written.' })
  @Property({ ...timestamp, defaultRaw: 'clock_timestamp()' })
  createdAt!: Date & Opt
}
