import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { Field, Float, ID, ObjectType, registerEnumType } from 'type-graphql'
import { TenantOwned, timestamp } from '../../database/index.js'
import { Example, ExampleRecords, exampleId } from '../../kit/documentation.js'
import { ReadWith } from '../../kit/permissions.js'
import { DateTime } from '../../kit/scalars.js'
import { newId } from '../../shared/ids.js'
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

@ObjectType({
  description: 'A step in the life of an opportunity; names are kept as they were.',
  simpleResolvers: true,
})
@Entity()
@TenantOwned()
@ReadWith('opportunities:read')
@ExampleRecords({
  id: exampleId('OpportunityHistory moved'),
  action: HistoryAction.STAGE_CHANGED,
  fromStageId: exampleId('Stage Qualified'),
  fromStageName: 'Qualified',
  toStageId: exampleId('Stage'),
  toStageName: 'Proposal',
  fromValue: null,
  toValue: null,
  notes: null,
  createdAt: '2026-01-26T13:40:00.000Z',
})
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
