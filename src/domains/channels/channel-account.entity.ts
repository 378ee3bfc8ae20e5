import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { Field, ID, ObjectType, registerEnumType } from 'type-graphql'
import { TenantOwned, timestamp } from '../../database/index.js'
import type { ChannelKind } from '../../integrations/channels/index.js'
import { Example, ExampleRecords } from '../../kit/documentation.js'
import { ReadWith } from '../../kit/permissions.js'
import { DateTime } from '../../kit/scalars.js'
import { newId } from '../../shared/ids.js'
import { Account } from '../accounts/account.entity.js'

/** Whether messages go through a channel account. */
export enum ChannelAccountStatus {
  CONNECTED = 'connected',
  DISCONNECTED = 'disconnected',
}

registerEnumType(ChannelAccountStatus, {
  name: 'ChannelAccountStatus',
  description: 'Whether messages go through a channel account.',
  valuesConfig: {
    CONNECTED: { description: 'They do.' },
    DISCONNECTED: { description: 'They do not, and its token is forgotten.' },
  },
})

@ObjectType({
  description: 'A number or profile of the account that messages go through. Its token is shown to nobody.',
  simpleResolvers: true,
})
@Entity()
@TenantOwned()
@ReadWith('channels:read')
@ExampleRecords({ status: ChannelAccountStatus.CONNECTED, disconnectedAt: null })
export class ChannelAccount {
  @Field(() => ID, { description: 'The unique id of the channel account.' })
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @ManyToOne(() => Account, { mapToPk: true, fieldName: 'account_id', deleteRule: 'cascade' })
  accountId!: string

  @Field(() => String, { description: 'The name, for the people of the account.' })
  @Property({ type: 'string', length: 255 })
  @Example('Sales')
  name!: string

  @Field(() => String, { description: 'whatsapp, instagram or linkedin.' })
  @Property({ type: 'string', length: 16 })
  @Example('whatsapp')
  kind!: ChannelKind

  @Field(() => String, { description: "What the provider calls it, such as WhatsApp's phone number id." })
  @Example('106540352242922')
  @Property({ type: 'string', length: 128 })
  externalId!: string

  @Field(() => String, { nullable: true, description: 'What people know it by, such as its phone number.' })
  @Example('+5511912345678')
  @Property({ type: 'string', length: 255, nullable: true })
  address?: string | null

  /** Within which the provider's user ids mean somebody. */
  @Property({ type: 'string', length: 128, nullable: true })
  portfolioId?: string | null

  @Field(() => ChannelAccountStatus, { description: 'Whether messages go through it.' })
  @Property({ type: 'string', length: 16 })
  status!: ChannelAccountStatus

  /** Sealed with ENCRYPTION_KEY, for this record alone; null when disconnected. */
  @Property({ type: 'blob', columnType: 'bytea', nullable: true })
  credentials?: Buffer | null

  @Field(() => DateTime, { nullable: true, description: 'When it was last connected.' })
  @Property({ ...timestamp, nullable: true })
  connectedAt?: Date | null

  @Field(() => DateTime, { nullable: true, description: 'When it was disconnected; null while it is connected.' })
  @Property({ ...timestamp, nullable: true })
  disconnectedAt?: Date | null

  @Field(() => DateTime, { description: 'When it was first connected.' })
  @Property({ ...timestamp, defaultRaw: "'infinity'" })
  createdAt!: Date & Opt

  @Field(() => DateTime, { description: 'When it last changed.' })
  @Property({ ...timestamp, defaultRaw: "'infinity'" })
  updatedAt!: Date & Opt
}
