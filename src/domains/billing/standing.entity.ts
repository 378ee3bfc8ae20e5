import { Entity, ManyToOne, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { timestamp } from '../../database/index.js'
import { newId } from '../../shared/ids.js'
import { Agency } from '../agencies/agency.entity.js'

/** How far an agency's cycles are, and whose turn it is to move its money. Made at the agency's first turn. */
@Entity()
@Unique({ properties: ['agencyId'], name: 'billing_standing_agency' })
export class BillingStanding {
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @ManyToOne(() => Agency, { mapToPk: true, fieldName: 'agency_id', deleteRule: 'cascade' })
  agencyId!: string

  /** The number of the cycle that was renewed last. */
  @Property({ type: 'integer' })
  cycle!: number

  /** The end of that cycle. */
  @Property({ columnType: 'timestamptz(0)', type: 'datetime' })
  renewsAt!: Date

  /** The number of seats that the provider was told last. */
  @Property({ type: 'integer', default: 0 })
  seatsTold: number & Opt = 0

  /** The number that it is being told, and the key of that call. */
  @Property({ type: 'integer', nullable: true })
  seatsAsked?: number

  @Property({ type: 'uuid', nullable: true })
  seatsKey?: string

  /** Who has the turn, and until when unless it is prolonged. */
  @Property({ type: 'uuid', nullable: true })
  turnHolder?: string

  @Property({ ...timestamp, nullable: true })
  turnUntil?: Date
}
