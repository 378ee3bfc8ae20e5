import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { registerEnumType } from 'type-graphql'
import { timestamp } from '../../database/index.js'
import { newId } from '../../shared/ids.js'

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

/** A call of an agency that changes something, from its beginning to its end. */
@Entity()
export class AgencyEvent {
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @Property({ type: 'uuid' })
  agencyId!: string

  @Property({ type: 'string', length: 64 })
  action!: AgencyAction

  @Property({ type: 'string', length: 16 })
  status!: AgencyEventStatus

  /** How often it was begun. */
  @Property({ type: 'integer', default: 0 })
  attempts: number & Opt = 0

  @Property({ type: 'uuid', nullable: true })
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

  /** What the answer held, in the names of the agencies' API. */
  @Property({ type: 'json', nullable: true })
  result?: Record<string, unknown> | null

  /** The `error` of the answer, of one that failed, and its status. */
  @Property({ type: 'json', nullable: true })
  failure?: Record<string, unknown> | null

  @Property({ type: 'integer', nullable: true })
  failureStatus?: number | null

  @Property({ type: 'string', length: 64, nullable: true })
  errorCode?: string | null

  /** What the last attempt failed for, in words. */
  @Property({ type: 'text', nullable: true })
  lastError?: string | null

  /** Of a pending one, when it is due; of one that is carried out, when another worker may take it. */
  @Property({ ...timestamp, nullable: true })
  dueAt?: Date | null

  @Property({ ...timestamp, defaultRaw: 'now()' })
  receivedAt!: Date & Opt

  @Property({ ...timestamp, nullable: true })
  lastAttemptAt?: Date | null

  @Property({ ...timestamp, nullable: true })
  processedAt?: Date | null
}
