import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { Field, Float, ID, ObjectType } from 'type-graphql'
import { TenantOwned, timestamp } from '../../database/index.js'
import { Example } from '../../kit/documentation.js'
import { ReadWith } from '../../kit/permissions.js'
import { DateTime } from '../../kit/scalars.js'
import { newId } from '../../shared/ids.js'
import { Product } from '../reference/product.entity.js'
import { Opportunity } from './opportunity.entity.js'

@ObjectType({ description: 'A product that an opportunity is about.', simpleResolvers: true })
@Entity()
@TenantOwned()
@ReadWith('opportunities:read')
export class OpportunityProduct {
  @Field(() => ID, { description: 'The unique id of the line.' })
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @Property({ type: 'uuid' })
  accountId!: string

  @ManyToOne(() => Opportunity, { mapToPk: true, fieldName: 'opportunity_id', deleteRule: 'cascade' })
  opportunityId!: string

  @Field(() => ID, {
    nullable: true,
    description: 'The id of the product; null for what is not in the list of products.',
  })
  @ManyToOne(() => Product, { mapToPk: true, fieldName: 'product_id', nullable: true })
  productId?: string | null

  @Field(() => String, { description: 'What it was called when it was added.' })
  @Property({ type: 'string', length: 255 })
  @Example('Solar kit')
  name!: string

  @Field(() => Float, { description: 'How many.' })
  @Property({ type: 'decimal', precision: 12, scale: 3, runtimeType: 'number' })
  @Example(2)
  quantity!: number

  @Field(() => Float, { description: 'The price of one.' })
  @Property({ type: 'decimal', precision: 14, scale: 2, runtimeType: 'number' })
  @Example(1990.5)
  unitPrice!: number

  @Field(() => Float, {
    description: 'The price of all, less the discounts: the percentage first, then the value; never below 0.',
  })
  @Property({ type: 'decimal', precision: 14, scale: 2, runtimeType: 'number', persist: false })
  @Example(3582.9)
  totalPrice!: number & Opt

  @Field(() => Float, { nullable: true, description: 'Discount in percent.' })
  @Property({ type: 'decimal', precision: 5, scale: 2, runtimeType: 'number', nullable: true })
  @Example(10)
  discountPercent?: number | null

  @Field(() => Float, { nullable: true, description: 'Discount as an amount, taken off once.' })
  @Property({ type: 'decimal', precision: 14, scale: 2, runtimeType: 'number', nullable: true })
  @Example(0)
  discountValue?: number | null

  @Field(() => DateTime, { description: 'When it was added.' })
  @Property({ ...timestamp, defaultRaw: 'clock_timestamp()' })
  createdAt!: Date & Opt
}
