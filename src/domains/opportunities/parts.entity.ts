import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { Field, Float, ID, ObjectType, registerEnumType } from 'type-graphql'
import { TenantOwned, timestamp } from '../../database/index.js'
import { Example } from '../../kit/documentation.js'
import { ReadWith } from '../../kit/permissions.js'
import { DateTime } from '../../kit/scalars.js'
import { newId } from '../../shared/ids.js'
import { Product } from '../reference/product.entity.js'
import { Opportunity } from './opportunity.entity.js'

/** What a row of an opportunity's history tells. */
export enum HistoryAction {
  CREATED = 'created',
  STAGE_CHANGED = 'stage_changed',
  VALUE_CHANGED = 'value_changed',
}
registerEnumType(HistoryAction, {
  name: 'HistoryAction',
  description: "What a row of an opportunity's history tells.",
  valuesConfig: {
    CREATED: { description: 'The opportunity was created.' },
    STAGE_CHANGED: { description: 'It moved to another stage.' },
    VALUE_CHANGED: { description: 'Its value changed.' },
  },
})

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

@ObjectType({ description: 'A comment on an opportunity.', simpleResolvers: true })
@Entity()
@TenantOwned()
@ReadWith('opportunities:read')
export class OpportunityComment {
  @Field(() => ID, { description: 'The unique id of the comment.' })
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @Property({ type: 'uuid' })
  accountId!: string

  @ManyToOne(() => Opportunity, { mapToPk: true, fieldName: 'opportunity_id', deleteRule: 'cascade' })
  opportunityId!: string

  @Field(() => String, { description: 'What was written.' })
  @Property({ type: 'text' })
  @Example('Wants a visit in May.')
  content!: string

  @Field(() => String, { nullable: true, description: 'What the author was called; null when nobody is known.' })
  @Property({ type: 'string', length: 255, nullable: true })
  @Example('Bia Ramos')
  userName?: string | null

  @Field(() => DateTime, { description: 'When it was written.' })
  @Property({ ...timestamp, defaultRaw: 'clock_timestamp()' })
  createdAt!: Date & Opt
}

@ObjectType({
  description: 'A step in the life of an opportunity; names are kept as they were.',
  simpleResolvers: true,
})
@Entity()
@TenantOwned()
@ReadWith('opportunities:read')
export class OpportunityHistory {
  @Field(() => ID, { description: 'The unique id of the step.' })
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @Property({ type: 'uuid' })
  accountId!: string

  @ManyToOne(() => Opportunity, { mapToPk: true, fieldName: 'opportunity_id', deleteRule: 'cascade' })
  opportunityId!: string

  @Field(() => HistoryAction, { description: 'What happened.' })
  @Property({ type: 'string', length: 32 })
  action!: HistoryAction

  @Field(() => ID, { nullable: true, description: 'The id of the stage that it left.' })
  @Property({ type: 'uuid', nullable: true })
  fromStageId?: string | null

  @Field(() => String, { nullable: true, description: 'The name that the stage had.' })
  @Property({ type: 'string', length: 255, nullable: true })
  @Example('New')
  fromStageName?: string | null

  @Field(() => ID, { nullable: true, description: 'The id of the stage that it came to.' })
  @Property({ type: 'uuid', nullable: true })
  toStageId?: string | null

  @Field(() => String, { nullable: true, description: 'The name that the stage had.' })
  @Property({ type: 'string', length: 255, nullable: true })
  @Example('Contacted')
  toStageName?: string | null

  @Field(() => Float, { nullable: true, description: 'The value before.' })
  @Property({ type: 'decimal', precision: 14, scale: 2, runtimeType: 'number', nullable: true })
  @Example(0)
  fromValue?: number | null

  @Field(() => Float, { nullable: true, description: 'The value after.' })
  @Property({ type: 'decimal', precision: 14, scale: 2, runtimeType: 'number', nullable: true })
  @Example(12500.5)
  toValue?: number | null

  @Field(() => String, { nullable: true, description: 'A remark, such as the reason of a loss.' })
  @Property({ type: 'text', nullable: true })
  @Example('Chose a cheaper offer.')
  notes?: string | null

  @Field(() => String, { nullable: true, description: 'Who did it: a user, or the name of the API key.' })
  @Property({ type: 'string', length: 255, nullable: true })
  @Example('Bia Ramos')
  userName?: string | null

  @Field(() => DateTime, { description: 'When it happened.' })
  @Property({ ...timestamp, defaultRaw: 'clock_timestamp()' })
  createdAt!: Date & Opt
}
