import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { Field, Float, ID, ObjectType } from 'type-graphql'
import { TenantOwned, timestamp } from '../../database/index.js'
import { Example } from '../../kit/documentation.js'
import { ReadWith } from '../../kit/permissions.js'
import { DateTime } from '../../kit/scalars.js'
import { newId } from '../../shared/ids.js'
import { Account } from '../accounts/account.entity.js'

@ObjectType({ description: 'Something that the account sells.', simpleResolvers: true })
@Entity()
@TenantOwned()
@ReadWith('products:read')
export class Product {
  @Field(() => ID, { description: 'The unique id of the product.' })
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @ManyToOne(() => Account, { mapToPk: true, fieldName: 'account_id', deleteRule: 'cascade' })
  accountId!: string

  @Field(() => String, { description: 'The name.' })
  @Property({ type: 'string', length: 255 })
  @Example('Solar kit')
  name!: string

  @Field(() => String, { nullable: true, description: 'What the product is.' })
  @Property({ type: 'text', nullable: true })
  @Example('Ten panels with inverter.')
  description?: string | null

  @Field(() => Float, { description: 'The price of one unless agreed otherwise, exact to the cent.' })
  @Property({ type: 'decimal', precision: 14, scale: 2, runtimeType: 'number', default: 0 })
  @Example(1990.5)
  defaultPrice: number & Opt = 0

  @Field(() => String, { description: 'ISO 4217 code of the currency of the price.' })
  @Property({ type: 'character', length: 3 })
  @Example('BRL')
  currency!: string

  @Field(() => String, { nullable: true, description: 'What the price is for, such as month; null when paid once.' })
  @Property({ type: 'string', length: 32, nullable: true })
  @Example('month')
  timeUnit?: string | null

  @Field(() => Boolean, { description: 'Whether the product is on sale.' })
  @Property({ type: 'boolean', default: true })
  isActive: boolean & Opt = true

  @Field(() => DateTime, { description: 'When the product was created.' })
  @Property({ ...timestamp, defaultRaw: "'infinity'" })
  createdAt!: Date & Opt

  @Field(() => DateTime, { description: 'When the product last changed.' })
  @Property({ ...timestamp, defaultRaw: "'infinity'" })
  updatedAt!: Date & Opt

  /** When it was deleted: it is listed no longer, but what refers to it still names it. */
  @Property({ ...timestamp, nullable: true })
  deletedAt?: Date | null
}
