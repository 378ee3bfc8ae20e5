import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql'
import { TenantOwned, timestamp } from '../../database/index.js'
import { Example, ExampleRecords } from '../../kit/documentation.js'
import { ReadWith } from '../../kit/permissions.js'
import { DateTime } from '../../kit/scalars.js'
import { newId } from '../../shared/ids.js'
import { Account } from '../accounts/account.entity.js'
import { Contact } from '../contacts/contact.entity.js'
import { Mail } from '../mail/mail.entity.js'
import { Opportunity } from '../opportunities/opportunity.entity.js'
import { Flow } from './flow.entity.js'

/** How a contact stands in a flow. */
export enum EnrollmentState {
  ACTIVE = 'active',
  PAUSED = 'paused',
  COMPLETED = 'completed',
  STOPPED = 'stopped',
  FAILED = 'failed',
}
registerEnumType(EnrollmentState, {
  name: 'FlowEnrollmentState',
  description: 'How a contact stands in a flow.',
  valuesConfig: {
    ACTIVE: { description: 'Its steps go on.' },
    PAUSED: { description: 'It waits for the flow to be resumed.' },
    COMPLETED: { description: 'It has come to the end.' },
    STOPPED: { description: 'It was taken out before the end; `endReason` says why.' },
    FAILED: { description: 'A step failed; `error` says why. It can be tried again.' },
  },
})

/** Why a contact is in a flow no more. */
export enum EndReason {
  FINISHED = 'finished',
  STEP_FAILED = 'step_failed',
  BY_HAND = 'by_hand',
  REPLIED = 'replied',
  UNSUBSCRIBED = 'unsubscribed',
  OPPORTUNITY_WON = 'opportunity_won',
  OPPORTUNITY_LOST = 'opportunity_lost',
  OPPORTUNITY_DISCARDED = 'opportunity_discarded',
  CONTACT_DELETED = 'contact_deleted',
  FLOW_ARCHIVED = 'flow_archived',
}
registerEnumType(EndReason, {
  name: 'FlowEndReason',
  description: 'Why a contact is in a flow no more.',
  valuesConfig: {
    FINISHED: { description: 'The flow has no further step.' },
    STEP_FAILED: { description: 'A step failed.' },
    BY_HAND: { description: 'Somebody stopped it.' },
    REPLIED: { description: 'The contact has answered.' },
    UNSUBSCRIBED: { description: 'The contact wants no mail any more.' },
    OPPORTUNITY_WON: { description: 'An opportunity of the contact was won.' },
    OPPORTUNITY_LOST: { description: 'An opportunity of the contact was lost.' },
    OPPORTUNITY_DISCARDED: { description: 'An opportunity of the contact was discarded.' },
    CONTACT_DELETED: { description: 'The contact was deleted.' },
    FLOW_ARCHIVED: { description: 'The flow was archived.' },
  },
})

@ObjectType({ description: 'That a contact is, or was, in a flow, and where it stands.' })
@Entity({ tableName: 'flow_enrollment' })
@TenantOwned()
@ReadWith('flows:read')
@ExampleRecords({ state: EnrollmentState.ACTIVE, version: 1, step: 1 })
export class FlowEnrollment {
  @Field(() => ID, { description: 'The unique id of the enrollment.' })
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @ManyToOne(() => Account, { mapToPk: true, fieldName: 'account_id', deleteRule: 'cascade' })
  accountId!: string

  @Field(() => ID, { description: 'The id of the flow.' })
  @ManyToOne(() => Flow, { mapToPk: true, fieldName: 'flow_id' })
  flowId!: string

  @Field(() => Int, { description: 'The version of the flow that it began with, and keeps.' })
  @Property({ type: 'integer' })
  version!: number

  @Field(() => ID, { nullable: true, description: 'The id of the contact; null once it is deleted.' })
  @ManyToOne(() => Contact, { mapToPk: true, fieldName: 'contact_id', nullable: true })
  contactId?: string | null

  @Field(() => ID, {
    nullable: true,
    description:
      'The id of the opportunity with whose creation it came about, if so; a step that moves moves that one.',
  })
  @ManyToOne(() => Opportunity, { mapToPk: true, fieldName: 'opportunity_id', nullable: true })
  opportunityId?: string | null

  @Field(() => EnrollmentState, { description: 'How the contact stands in the flow.' })
  @Property({ type: 'string', length: 16, default: EnrollmentState.ACTIVE })
  state: EnrollmentState & Opt = EnrollmentState.ACTIVE

  @Field(() => Int, { description: 'How many of its steps are done: the next one is the one after that.' })
  @Property({ type: 'integer', default: 0 })
  step: number & Opt = 0

  @Field(() => DateTime, { nullable: true, description: 'When the next step is due; null once it is over.' })
  @Property({ ...timestamp, nullable: true })
  dueAt?: Date | null

  @Field(() => ID, { nullable: true, description: 'The id of the last mail that a step has sent.' })
  @ManyToOne(() => Mail, { mapToPk: true, fieldName: 'mail_id', nullable: true })
  mailId?: string | null

  @Field(() => EndReason, { nullable: true, description: 'Why it is over; null while it is not.' })
  @Property({ type: 'string', length: 32, nullable: true })
  endReason?: EndReason | null

  @Field(() => String, { nullable: true, description: 'What went wrong with the step that failed.' })
  @Property({ type: 'text', nullable: true })
  @Example('Step 3: There is no such tag in this account.')
  error?: string | null

  @Field(() => DateTime, { nullable: true, description: 'When it was over.' })
  @Property({ ...timestamp, nullable: true })
  endedAt?: Date | null

  /** How often its next step was begun. */
  @Property({ type: 'integer', default: 0 })
  attempts: number & Opt = 0

  /** Until when a worker has it. */
  @Property({ ...timestamp, nullable: true })
  claimedUntil?: Date | null

  @Field(() => DateTime, { description: 'When the contact was enrolled.' })
  @Property({ ...timestamp, defaultRaw: "'infinity'" })
  createdAt!: Date & Opt

  @Field(() => DateTime, { description: 'When it last changed.' })
  @Property({ ...timestamp, defaultRaw: "'infinity'" })
  updatedAt!: Date & Opt
}
