import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql'
import { TenantOwned, timestamp } from '../../database/index.js'
import { Example, ExampleRecords, exampleId } from '../../kit/documentation.js'
import { ReadWith } from '../../kit/permissions.js'
import { DateTime } from '../../kit/scalars.js'
import { newId } from '../../shared/ids.js'
import { Account } from '../accounts/account.entity.js'
import { AiAgent } from '../agents/ai-agent.entity.js'

/** The timestamp of an opportunity that a stage sets. */
export enum Lifecycle {
  SENT = 'sent',
  ACCEPTED = 'accepted',
  QUALIFYING_STARTED = 'qualifying_started',
  QUALIFIED = 'qualified',
  SCHEDULED = 'scheduled',
  WON = 'won',
  LOST = 'lost',
}
registerEnumType(Lifecycle, {
  name: 'Lifecycle',
  description: 'The timestamp of an opportunity that a stage sets.',
  valuesConfig: {
    SENT: { description: 'The first outreach was sent.' },
    ACCEPTED: { description: 'The contact accepted it.' },
    QUALIFYING_STARTED: { description: 'Qualification began.' },
    QUALIFIED: { description: 'The lead was qualified.' },
    SCHEDULED: { description: 'A meeting was scheduled.' },
    WON: { description: 'The opportunity was won.' },
    LOST: { description: 'The opportunity was lost.' },
  },
})

@ObjectType({ description: 'A way of selling, in stages that opportunities pass through.', simpleResolvers: true })
@Entity()
@TenantOwned()
@ReadWith('pipelines:read')
export class Pipeline {
  @Field(() => ID, { description: 'The unique id of the pipeline.' })
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @ManyToOne(() => Account, { mapToPk: true, fieldName: 'account_id', deleteRule: 'cascade' })
  accountId!: string

  @Field(() => String, { description: 'The name.' })
  @Property({ type: 'string', length: 255 })
  @Example('Sales')
  name!: string

  @Field(() => String, { nullable: true, description: 'What the pipeline is for.' })
  @Property({ type: 'text', nullable: true })
  @Example('New customers.')
  description?: string | null

  @Field(() => String, { nullable: true, description: 'A CSS colour to show the pipeline in, such as #2563eb.' })
  @Property({ type: 'string', length: 32, nullable: true })
  @Example('#2563eb')
  color?: string | null

  @Field(() => String, { nullable: true, description: 'The name of an icon to show the pipeline with.' })
  @Property({ type: 'string', length: 64, nullable: true })
  @Example('briefcase')
  icon?: string | null

  @Field(() => Boolean, { description: 'Whether new opportunities that name no pipeline go here; true of one.' })
  @Property({ type: 'boolean', default: false })
  isDefault: boolean & Opt = false

  @Field(() => Boolean, { description: 'Whether the pipeline is in use.' })
  @Property({ type: 'boolean', default: true })
  isActive: boolean & Opt = true

  @Field(() => Int, { description: 'The place in the list of pipelines, smallest first.' })
  @Property({ type: 'integer', default: 0 })
  @Example(1)
  displayOrder: number & Opt = 0

  @Field(() => ID, {
    nullable: true,
    description:
      'The id of the agent that is activated on the contact of every opportunity that is created in the pipeline, or moved ' +
      'into an open stage of it from another, unless it has begun with that contact before.',
  })
  @ManyToOne(() => AiAgent, { mapToPk: true, fieldName: 'entry_agent_id', nullable: true })
  entryAgentId?: string | null

  @Field(() => DateTime, { description: 'When the pipeline was created.' })
  @Property({ ...timestamp, defaultRaw: "'infinity'" })
  createdAt!: Date & Opt

  @Field(() => DateTime, { description: 'When the pipeline or one of its stages last changed.' })
  @Property({ ...timestamp, defaultRaw: "'infinity'" })
  updatedAt!: Date & Opt
}

@ObjectType({ description: 'A step of a pipeline.', simpleResolvers: true })
@Entity()
@TenantOwned()
@ReadWith('pipelines:read')
@ExampleRecords(
  { id: exampleId('Stage New'), name: 'New', color: '#64748b', position: 1, isWinStage: false, isLossStage: false },
  {
    id: exampleId('Stage Contacted'),
    name: 'Contacted',
    color: '#2563eb',
    position: 2,
    isWinStage: false,
    isLossStage: false,
  },
  {
    id: exampleId('Stage Qualified'),
    name: 'Qualified',
    color: '#7c3aed',
    position: 3,
    isWinStage: false,
    isLossStage: false,
  },
  {
    id: exampleId('Stage'),
    name: 'Proposal',
    color: '#d97706',
    position: 4,
    isWinStage: false,
    isLossStage: false,
  },
  { id: exampleId('Stage Won'), name: 'Won', color: '#16a34a', position: 5, isWinStage: true, isLossStage: false },
  { id: exampleId('Stage Lost'), name: 'Lost', color: '#dc2626', position: 6, isWinStage: false, isLossStage: true },
)
export class Stage {
  @Field(() => ID, { description: 'The unique id of the stage.' })
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @Property({ type: 'uuid' })
  accountId!: string

  @Field(() => ID, { description: 'The id of the pipeline that the stage belongs to.' })
  @ManyToOne(() => Pipeline, { mapToPk: true, fieldName: 'pipeline_id', deleteRule: 'cascade' })
  pipelineId!: string

  @Field(() => String, { description: 'The name.' })
  @Property({ type: 'string', length: 255 })
  @Example('Proposal')
  name!: string

  @Field(() => String, { nullable: true, description: 'A CSS colour to show the stage in, such as #d97706.' })
  @Property({ type: 'string', length: 32, nullable: true })
  @Example('#d97706')
  color?: string | null

  @Field(() => Int, { description: 'The place in the pipeline, from 1.' })
  @Property({ type: 'integer' })
  @Example(4)
  position!: number

  @Field(() => Boolean, { description: 'Whether an opportunity in this stage is won.' })
  @Property({ type: 'boolean', default: false })
  isWinStage: boolean & Opt = false

  @Field(() => Boolean, { description: 'Whether an opportunity in this stage is lost.' })
  @Property({ type: 'boolean', default: false })
  isLossStage: boolean & Opt = false

  @Field(() => Lifecycle, {
    nullable: true,
    description: 'The timestamp of an opportunity that is set, when still empty, as it enters the stage.',
  })
  @Property({ type: 'string', length: 32, nullable: true })
  lifecycle?: Lifecycle | null

  @Field(() => DateTime, { description: 'When the stage was created.' })
  @Property({ ...timestamp, defaultRaw: "'infinity'" })
  createdAt!: Date & Opt

  @Field(() => DateTime, { description: 'When the stage last changed.' })
  @Property({ ...timestamp, defaultRaw: "'infinity'" })
  updatedAt!: Date & Opt
}
