import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { timestamp } from '../../database/index.js'

/** Where a sub-account stands: one that is not active yet, or not any more, is nowhere to be seen. */
export enum SubAccountStatus {
  /** Its name, its admin's address and its place in the hour are taken; what it costs is not paid yet. */
  PROVISIONING = 'provisioning',
  ACTIVE = 'active',
  DELETED = 'deleted',
}

/** An account of a client of an agency, with as many seats in each channel as the agency has given it. */
@Entity()
export class SubAccount {
  /** That of the account. */
  @PrimaryKey({ type: 'uuid' })
  id!: string

  @Property({ type: 'uuid' })
  agencyId!: string

  @Property({ type: 'string', length: 16 })
  status!: SubAccountStatus

  @Property({ type: 'string', length: 255 })
  name!: string

  @Property({ type: 'string', length: 255, unique: true })
  slug!: string

  /** How the agency's own program calls it; unique among its live ones. */
  @Property({ type: 'string', length: 120, nullable: true })
  externalRef?: string | null

  @Property({ type: 'uuid' })
  adminId!: string

  @Property({ type: 'integer', default: 0 })
  linkedin: number & Opt = 0

  @Property({ type: 'integer', default: 0 })
  whatsapp: number & Opt = 0

  @Property({ type: 'integer', default: 0 })
  instagram: number & Opt = 0

  @Property({ type: 'integer', default: 0 })
  emailMarketing: number & Opt = 0

  /** Until when its seats are free and it has WhatsApp alone; null when it is in no trial. */
  @Property({ ...timestamp, nullable: true })
  trialEndsAt?: Date | null

  @Property({ ...timestamp, defaultRaw: 'now()' })
  createdAt!: Date & Opt

  @Property({ ...timestamp, nullable: true })
  deletedAt?: Date | null
}
