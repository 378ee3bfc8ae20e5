import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { Field, ID, ObjectType } from 'type-graphql'
import { TenantOwned, timestamp } from '../../database/index.js'
import { Example } from '../../kit/documentation.js'
import { ReadWith } from '../../kit/permissions.js'
import { DateTime } from '../../kit/scalars.js'
import { newId } from '../../shared/ids.js'
import { Account } from '../accounts/account.entity.js'

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

  @Field(() => Boolean, { description: 'Whether it works.' })
  @Property({ type: 'boolean', default: true })
  isActive: boolean & Opt = true

  @Field(() => DateTime, { description: 'When the agent was created.' })
  @Property({ ...timestamp, defaultRaw: "'infinity'" })
  createdAt!: Date & Opt

  @Field(() => DateTime, { description: 'When the agent last changed.' })
  @Property({ ...timestamp, defaultRaw: "'infinity'" })
  updatedAt!: Date & Opt
}
