import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { Field, Float, ID, Int, ObjectType, registerEnumType } from 'type-graphql'
import { TenantOwned, timestamp } from '../../database/index.js'
import { Example, ExampleRecords, exampleId, WrittenOutside } from '../../kit/documentation.js'
import { AfterErasure } from '../../kit/erasure.js'
import { ReadWith } from '../../kit/permissions.js'
import { DateOnly, DateTime } from '../../kit/scalars.js'
import { newId } from '../../shared/ids.js'
import { Account } from '../accounts/account.entity.js'
import { Campaign } from '../campaigns/campaign.entity.js'
import { Contact } from '../contacts/contact.entity.js'
import { Pipeline, Stage } from '../pipelines/pipeline.entity.js'
import { DiscardReason } from '../reference/discard-reason.entity.js'
import { Sector } from '../reference/sector.entity.js'
import { User } from '../users/user.entity.js'
import { OpportunityLabels } from './opportunity-labels.types.js'

/** Where an opportunity came from. */
export enum OpportunitySource {
  LINKEDIN = 'linkedin',
  GOOGLE_MAPS = 'google_maps',
  LIST = 'list',
  PAID_TRAFFIC = 'paid_traffic',
  OTHER = 'other',
}
registerEnumType(OpportunitySource, {
  name: 'OpportunitySource',
  description: 'Where an opportunity came from.',
  valuesConfig: {
    LINKEDIN: { description: 'A LinkedIn profile.' },
    GOOGLE_MAPS: { description: 'An entry of Google Maps.' },
    LIST: { description: 'A list that was loaded.' },
    PAID_TRAFFIC: { description: 'An advertisement.' },
    OTHER: { description: 'Anything else.' },
  },
})

/** The title of an opportunity whose contact is erased. */
export const ERASED_TITLE = 'Deleted contact'

@ObjectType({ description: 'A lead that stands in a stage of a pipeline.', simpleResolvers: true })
@Entity()
@TenantOwned()
@ReadWith('opportunities:read')
@ExampleRecords({
  sentAt: '2026-01-20T11:00:00.000Z',
  acceptedAt: '2026-01-21T08:40:00.000Z',
  qualifyingStartedAt: '2026-01-21T09:10:00.000Z',
  qualifiedAt: '2026-01-22T15:05:00.000Z',
  scheduledAt: '2026-01-23T10:30:00.000Z',
  wonAt: null,
  lostAt: null,
  discardedAt: null,
  discardReasonId: null,
  discardReasonName: null,
  lossReason: null,
  source: OpportunitySource.LINKEDIN,
  expectedCloseDate: '2026-02-27',
})
export class Opportunity extends OpportunityLabels {
  @Field(() => ID, { description: 'The unique id of the opportunity.' })
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @ManyToOne(() => Account, { mapToPk: true, fieldName: 'account_id', deleteRule: 'cascade' })
  accountId!: string

  @WrittenOutside()
  @Field(() => String, { description: 'What the opportunity is called; at first the name of the lead.' })
  @Property({ type: 'string', length: 255 })
  @Example('Ana Souza')
  @AfterErasure(ERASED_TITLE)
  title!: string

  @Field(() => Float, { description: 'What it is worth, exact to the cent; the sum of its products when it has any.' })
  @Property({ type: 'decimal', precision: 14, scale: 2, runtimeType: 'number', default: 0 })
  @Example(3582.9)
  value: number & Opt = 0

  @Field(() => String, { description: 'ISO 4217 code of the currency of the value.' })
  @Property({ type: 'character', length: 3 })
  @Example('BRL')
  currency!: string

  @Field(() => Int, { nullable: true, description: 'How likely it is to be won, in percent.' })
  @Property({ type: 'smallint', nullable: true })
  @Example(60)
  probability?: number | null

  @Field(() => DateOnly, { nullable: true, description: 'The day on which it is expected to be won.' })
  @Property({ type: 'date', nullable: true })
  @Example('2026-12-31')
  expectedCloseDate?: string | null

  @Field(() => ID, { description: 'The id of the pipeline.' })
  @ManyToOne(() => Pipeline, { mapToPk: true, fieldName: 'pipeline_id' })
  pipelineId!: string

  @Field(() => ID, { description: 'The id of the stage that it stands in.' })
  @ManyToOne(() => Stage, { mapToPk: true, fieldName: 'stage_id' })
  @Example(exampleId('Stage'))
  stageId!: string

  @Field(() => ID, { nullable: true, description: 'The id of the campaign that it came from.' })
  @ManyToOne(() => Campaign, { mapToPk: true, fieldName: 'campaign_id', nullable: true })
  campaignId?: string | null

  @Field(() => ID, { nullable: true, description: 'The id of the user who works on it.' })
  @ManyToOne(() => User, { mapToPk: true, fieldName: 'owner_user_id', nullable: true })
  @Example(exampleId('User'))
  ownerUserId?: string | null

  @Field(() => ID, { nullable: true, description: 'The id of the sector.' })
  @ManyToOne(() => Sector, { mapToPk: true, fieldName: 'sector_id', nullable: true })
  sectorId?: string | null

  @Field(() => ID, { nullable: true, description: 'The id of the reason for which it was discarded or lost.' })
  @ManyToOne(() => DiscardReason, { mapToPk: true, fieldName: 'discard_reason_id', nullable: true })
  discardReasonId?: string | null

  @Field(() => ID, { nullable: true, description: 'The id of the contact; null when that was deleted.' })
  @ManyToOne(() => Contact, { mapToPk: true, fieldName: 'contact_id', nullable: true })
  @AfterErasure(null)
  contactId?: string | null

  @Field(() => Int, { description: 'The score of the lead.' })
  @Property({ type: 'integer', default: 0 })
  @Example(75)
  score: number & Opt = 0

  @Field(() => OpportunitySource, { description: 'Where it came from.' })
  @Property({ type: 'string', length: 32, default: OpportunitySource.OTHER })
  source: OpportunitySource & Opt = OpportunitySource.OTHER

  @WrittenOutside()
  @Field(() => String, { nullable: true, description: 'What was noted on it.' })
  @Property({ type: 'text', nullable: true })
  @Example('Met at the fair.')
  @AfterErasure(null)
  notes?: string | null

  @Field(() => DateTime, { nullable: true, description: 'When the first outreach was sent.' })
  @Property({ ...timestamp, nullable: true })
  sentAt?: Date | null

  @Field(() => DateTime, { nullable: true, description: 'When the contact accepted it.' })
  @Property({ ...timestamp, nullable: true })
  acceptedAt?: Date | null

  @Field(() => DateTime, { nullable: true, description: 'When qualification began.' })
  @Property({ ...timestamp, nullable: true })
  qualifyingStartedAt?: Date | null

  @Field(() => DateTime, { nullable: true, description: 'When the lead was qualified.' })
  @Property({ ...timestamp, nullable: true })
  qualifiedAt?: Date | null

  @Field(() => DateTime, { nullable: true, description: 'When a meeting was scheduled.' })
  @Property({ ...timestamp, nullable: true })
  scheduledAt?: Date | null

  @Field(() => DateTime, { nullable: true, description: 'When it was won.' })
  @Property({ ...timestamp, nullable: true })
  wonAt?: Date | null

  @Field(() => DateTime, { nullable: true, description: 'When it was lost.' })
  @Property({ ...timestamp, nullable: true })
  lostAt?: Date | null

  @Field(() => String, { nullable: true, description: 'Why it was lost, in words.' })
  @Property({ type: 'text', nullable: true })
  @Example('Chose a cheaper offer.')
  @AfterErasure(null)
  lossReason?: string | null

  @Field(() => DateTime, { nullable: true, description: 'When it was discarded.' })
  @Property({ ...timestamp, nullable: true })
  discardedAt?: Date | null

  @Field(() => DateTime, { description: 'When the opportunity was created.' })
  @Property({ ...timestamp, defaultRaw: "'infinity'" })
  createdAt!: Date & Opt

  @Field(() => DateTime, {
    description:
      'When the opportunity, its products or comments or what it shows of its contact last changed; a stage or another ' +
      'label that is renamed does not count.',
  })
  @Property({ ...timestamp, defaultRaw: "'infinity'" })
  updatedAt!: Date & Opt
}
