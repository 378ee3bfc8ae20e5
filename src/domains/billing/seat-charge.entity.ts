import { Entity, ManyToOne, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { timestamp } from '../../database/index.js'
import { newId } from '../../shared/ids.js'
import { Agency } from '../agencies/agency.entity.js'

const second = { columnType: 'timestamptz(0)', type: 'datetime' } as const

/** What a charge is for. */
export type ChargeKind = 'raise' | 'trial_end' | 'renewal'

/**
 * How far a charge is. Money may move while it is `pending`; it was collected (`paid`) or need not be (`carried`), and then
 * its seats are `applied`; it was `declined`; or it is given up (`abandoned`), and what was collected all the same is
 * `refunded`, otherwise it is `dropped`. A renewal that was declined is `unpaid` until it is collected.
 */
export type ChargeState =
  | 'pending'
  | 'paid'
  | 'carried'
  | 'applied'
  | 'declined'
  | 'abandoned'
  | 'refunded'
  | 'dropped'
  | 'unpaid'

/** An amount that an agency owes for seats, and what has become of it. Amounts are in the currency's smallest unit. */
@Entity()
@Unique({ properties: ['agencyId', 'key'], name: 'seat_charge_key' })
export class SeatCharge {
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @ManyToOne(() => Agency, { mapToPk: true, fieldName: 'agency_id', deleteRule: 'cascade' })
  agencyId!: string

  /** What it is found by: the event's id, or which renewal it is. */
  @Property({ type: 'string', length: 100 })
  key!: string

  @Property({ type: 'string', length: 16 })
  kind!: ChargeKind

  @Property({ type: 'uuid', nullable: true })
  subAccountId?: string

  /** As the agency reads it on its invoice. */
  @Property({ type: 'string', length: 500 })
  description!: string

  @Property({ type: 'integer' })
  seats!: number

  @Property({ type: 'integer' })
  seatPriceCents!: number

  @Property({ type: 'character', length: 3 })
  currency!: string

  /** From when on the seats are charged. */
  @Property({ ...second })
  at!: Date

  @Property({ ...second })
  periodStart!: Date

  @Property({ ...second })
  periodEnd!: Date

  /** What the seats cost: this charge's own amount. */
  @Property({ type: 'bigint' })
  cents!: number

  /** What was carried over from before, and is collected with it. */
  @Property({ type: 'bigint', default: 0 })
  carriedCents: number & Opt = 0

  @Property({ type: 'string', length: 16 })
  state!: ChargeState

  @Property({ type: 'string', length: 32, nullable: true })
  decline?: string

  /** The number of the key under which the provider is asked; a new one only when it is known that nothing came of the last. */
  @Property({ type: 'integer', default: 1 })
  callNumber: number & Opt = 1

  /** When the provider was first asked under that key; unknown until then. */
  @Property({ ...timestamp, nullable: true })
  calledAt?: Date

  /** Whether the provider would only repeat a failure of its own to that key. */
  @Property({ type: 'boolean', default: false })
  keySpent: boolean & Opt = false

  @Property({ type: 'string', length: 255, nullable: true })
  invoiceId?: string

  /** How far the invoice is, in the provider's words, as it told last. */
  @Property({ type: 'string', length: 16, nullable: true })
  invoiceStatus?: string

  @Property({ type: 'string', length: 255, nullable: true })
  paymentId?: string

  /** When an unpaid renewal is tried again, and how often it was declined. */
  @Property({ ...timestamp, nullable: true })
  retryAt?: Date

  @Property({ type: 'integer', default: 0 })
  declines: number & Opt = 0

  @Property({ ...timestamp })
  createdAt!: Date
}
