import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { timestamp } from '../../database/index.js'
import { newId } from '../../shared/ids.js'

/** The channels that a sub-account can have, each with so many seats. */
export const CHANNELS = ['linkedin', 'whatsapp', 'instagram', 'email_marketing'] as const
export type Channel = (typeof CHANNELS)[number]

/** Who has sub-accounts for clients of its own and pays for their seats. */
@Entity()
export class Agency {
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @Property({ type: 'string', length: 255 })
  name!: string

  /** Stands in the addresses of its API; no secret. */
  @Property({ type: 'string', length: 64, unique: true })
  agencyKey!: string

  /** What a seat costs for a cycle, in the currency's smallest unit. */
  @Property({ type: 'integer' })
  seatPriceCents!: number

  @Property({ type: 'character', length: 3 })
  currency!: string

  /** The moment on which its cycles are anchored: that of its creation, in whole seconds. */
  @Property({ columnType: 'timestamptz(0)', type: 'datetime' })
  anchor!: Date

  /** The channels whose seats are charged. */
  @Property({ columnType: 'text[]', type: 'array' })
  billableChannels: Channel[] & Opt = [...CHANNELS]

  /** What the provider of billing calls it. */
  @Property({ type: 'string', length: 255, nullable: true })
  billingCustomer?: string

  /** What the provider calls the card on file. */
  @Property({ type: 'string', length: 255, nullable: true })
  paymentMethod?: string

  /** The one agency that `fairlead demo` makes and replaces. */
  @Property({ type: 'boolean', default: false })
  isDemo: boolean & Opt = false

  @Property({ ...timestamp, defaultRaw: 'now()' })
  createdAt!: Date & Opt
}
