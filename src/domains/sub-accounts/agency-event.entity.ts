import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql'
import { timestamp } from '../../database/index.js'
import { Example, exampleId } from '../../kit/documentation.js'
import { ReadWith } from '../../kit/permissions.js'
import { DateTime, JSONObject } from '../../kit/scalars.js'
import { newId } from '../../shared/ids.js'
import { EXAMPLE_SUB_ACCOUNT } from './sub-account.types.js'

const NOON = '2026-01-31T09:30:00.000Z'

/** How far a call of an agency has come. */
export enum AgencyEventStatus {
  PENDING = 'pending',
  PROCESSING = 'processing',
  PROCESSED = 'processed',
  FAILED = 'failed',
  IGNORED = 'ignored',
}
registerEnumType(AgencyEventStatus, {
  name: 'AgencyEventStatus',
  description: 'How far a call of an agency has come.',
  valuesConfig: {
    PENDING: { description: 'It waits for its turn, or for another attempt after a failure that may pass.' },
    PROCESSING: { description: 'It is being carried out.' },
    PROCESSED: { description: 'It is done.' },
    FAILED: { description: 'It came to nothing, for good.' },
    IGNORED: { description: 'It asked for what was so already.' },
  },
})

/** What the calls of agencies do, and what is done to their sub-accounts' trials. */
export const ACTIONS = [
  'sub_account.create',
  'sub_account.channels.update',
  'sub_account.delete',
  'sub_account.trial.start',
  'sub_account.trial.end',
] as const
export type AgencyAction = (typeof ACTIONS)[number]

@ObjectType({
  description: 'A call of an agency that changes something, from its beginning to its end.',
  simpleResolvers: true,
})
@Entity()
@ReadWith('any')
export class AgencyEvent {
  @Field(() => ID, { description: 'The unique id of the event, as the call was answered with it.' })
  @PrimaryKey({ type: 'uuid' })
  @Example(exampleId('agency event 1'))
  id: string & Opt = newId()

  @Field(() => ID, { description: 'The agency whose event it is.' })
  @Property({ type: 'uuid' })
  @Example(exampleId('agency Norte Digital'))
  agencyId!: string

  @Field(() => String, { description: `What the call does: ${ACTIONS.map((action) => `\`${action}\``).join(', ')}.` })
  @Property({ type: 'string', length: 64 })
  @Example('sub_account.channels.update')
  action!: AgencyAction

  @Field(() => AgencyEventStatus, { description: 'How far it has come.' })
  @Property({ type: 'string', length: 16 })
  @Example('processed')
  status!: AgencyEventStatus

  @Field(() => Int, { description: 'How often it was begun, five times at most.' })
  @Property({ type: 'integer', default: 0 })
  @Example(1)
  attempts: number & Opt = 0

  /** The sub-account, be it one that is only reserved, whose id nothing may tell. */
  @Property({ type: 'uuid', fieldName: 'target_account_id', nullable: true })
  target?: string | null

  @Field(() => ID, { nullable: true, description: 'The sub-account that it is about; null when there is none.' })
  @Example(EXAMPLE_SUB_ACCOUNT)
  targetAccountId?: string | null

  /** Its place among the events of its sub-account, which are carried out one after the other. */
  @Property({ type: 'bigint', nullable: true })
  place?: string | null

  /** What is asked for, as far as another attempt needs it. */
  @Property({ type: 'json', nullable: true })
  input?: Record<string, unknown> | null

  /** HMAC of the Idempotency-Key. */
  @Property({ type: 'blob', nullable: true })
  key?: Buffer | null

  /** Hash of what was sent. */
  @Property({ type: 'blob' })
  requestHash!: Buffer

  /** Whether its caller was told that it is not done yet. */
  @Property({ type: 'boolean', default: false })
  deferred: boolean & Opt = false

  @Field(() => JSONObject, {
    nullable: true,
    description:
      'What the answer held, without a password. `refund` names what was given back of what it had paid: its id, the invoice and the amount.',
  })
  @Property({ type: 'json', nullable: true })
  @Example({
    id: EXAMPLE_SUB_ACCOUNT,
    channels: { linkedin: 3, whatsapp: 1, instagram: 0, email_marketing: 0 },
    delta_channels: 1,
    seat_charge: { ok: true, paid: true, chargedCents: 2450, addedChannels: 1 },
  })
  result?: Record<string, unknown> | null

  /** The `error` of the answer, of one that failed, and its status. */
  @Property({ type: 'json', nullable: true })
  failure?: Record<string, unknown> | null

  @Property({ type: 'integer', nullable: true })
  failureStatus?: number | null

  @Field(() => String, { nullable: true, description: 'The code of the error that it failed with.' })
  @Property({ type: 'string', length: 64, nullable: true })
  @Example(null)
  errorCode?: string | null

  @Field(() => String, { nullable: true, description: 'What the last attempt failed for, in words.' })
  @Property({ type: 'text', nullable: true })
  @Example(null)
  lastError?: string | null

  @Field(() => DateTime, {
    nullable: true,
    description: 'Of a pending one, when it is due; of one that is carried out, when another worker may take it.',
  })
  @Property({ ...timestamp, nullable: true })
  @Example(null)
  dueAt?: Date | null

  @Field(() => DateTime, { description: 'When the call came.' })
  @Property({ ...timestamp, defaultRaw: 'now()' })
  @Example(NOON)
  receivedAt!: Date & Opt

  @Field(() => DateTime, { nullable: true, description: 'When it was last begun.' })
  @Property({ ...timestamp, nullable: true })
  @Example(NOON)
  lastAttemptAt?: Date | null

  @Field(() => DateTime, { nullable: true, description: 'When it came to its end.' })
  @Property({ ...timestamp, nullable: true })
  @Example('2026-01-31T09:30:01.250Z')
  processedAt?: Date | null
}
