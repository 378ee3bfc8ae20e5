import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { Field, ID, Int, ObjectType } from 'type-graphql'
import { timestamp } from '../../database/index.js'
import { ReadWith } from '../../kit/permissions.js'
import { DateTime } from '../../kit/scalars.js'
import { newId } from '../../shared/ids.js'

/** The channels that a sub-account can have, each with so many seats. */
export const CHANNELS = ['linkedin', 'whatsapp', 'instagram', 'email_marketing'] as const
export type Channel = (typeof CHANNELS)[number]

/** What a card is known by: its brand, its last four digits, and the month in which it expires, such as 2029-08. */
export interface CardFace {
  brand?: string
  last4?: string
  expires?: string
}

/** Who has sub-accounts for clients of its own and pays for their seats. */
@ObjectType({
  description: 'Who has sub-accounts for clients of its own and pays for their seats.',
  simpleResolvers: true,
})
@Entity()
@ReadWith('any')
export class Agency {
  @Field(() => ID, { description: 'The unique id of the agency.' })
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @Field(() => String, { description: 'Its name.' })
  @Property({ type: 'string', length: 255 })
  name!: string

  @Field(() => String, { description: 'Stands in the addresses of its API; no secret.' })
  @Property({ type: 'string', length: 64, unique: true })
  agencyKey!: string

  @Field(() => Int, { description: "What a seat costs for a cycle, in the currency's smallest unit." })
  @Property({ type: 'integer' })
  seatPriceCents!: number

  @Field(() => String, { description: 'The ISO 4217 code of the currency in which it is charged.' })
  @Property({ type: 'character', length: 3 })
  currency!: string

  @Field(() => DateTime, { description: 'The moment from which its monthly cycles are counted.' })
  @Property({ columnType: 'timestamptz(0)', type: 'datetime' })
  anchor!: Date

  @Field(() => [String], { description: 'The channels whose seats are charged.' })
  @Property({ columnType: 'text[]', type: 'array' })
  billableChannels: Channel[] & Opt = [...CHANNELS]

  /** What the provider of billing calls it. */
  @Property({ type: 'string', length: 255, nullable: true })
  billingCustomer?: string

  @Field(() => String, {
    nullable: true,
    description: 'What the provider of billing calls the card on file; null where there is none.',
  })
  @Property({ type: 'string', length: 255, nullable: true })
  paymentMethod?: string

  /** What people know that card by, as far as the provider tells, and when that was read. */
  @Property({ type: 'json', nullable: true })
  card?: CardFace

  @Property({ ...timestamp, nullable: true })
  cardAsOf?: Date

  /** The one agency that `fairlead demo` makes and replaces. */
  @Property({ type: 'boolean', default: false })
  isDemo: boolean & Opt = false

  @Field(() => DateTime, { description: 'When it was created.' })
  @Property({ ...timestamp, defaultRaw: 'now()' })
  createdAt!: Date & Opt
}
