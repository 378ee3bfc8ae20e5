import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { timestamp } from '../../database/index.js'
import { Agency } from '../agencies/agency.entity.js'

/** That the provider of billing has told something, by the id that it gave to it: what is told again is passed over. */
@Entity()
export class BillingNotice {
  @PrimaryKey({ type: 'string', length: 255 })
  id!: string

  @Property({ type: 'string', length: 16 })
  about!: string

  /** Whom it concerns; nobody, when it is about a customer that is none of ours. */
  @ManyToOne(() => Agency, { mapToPk: true, fieldName: 'agency_id', deleteRule: 'cascade', nullable: true })
  agencyId?: string

  @Property({ ...timestamp, defaultRaw: 'now()' })
  @Index({ name: 'billing_notice_received_idx' })
  receivedAt!: Date & Opt
}
