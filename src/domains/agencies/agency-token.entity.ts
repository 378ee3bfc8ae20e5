import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { timestamp } from '../../database/index.js'
import { newId } from '../../shared/ids.js'
import { Agency } from './agency.entity.js'

/** A token with which an agency's programs call its API. */
@Entity()
export class AgencyToken {
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @ManyToOne(() => Agency, { mapToPk: true, fieldName: 'agency_id', deleteRule: 'cascade' })
  agencyId!: string

  /** The beginning of the token, to recognise it by. */
  @Property({ type: 'string', length: 32 })
  prefix!: string

  /** SHA-256 of the whole token. */
  @Property({ type: 'blob' })
  hash!: Buffer

  /** What it may do; see SCOPES. */
  @Property({ columnType: 'text[]', type: 'array' })
  scopes!: string[]

  @Property({ ...timestamp, defaultRaw: 'now()' })
  createdAt!: Date & Opt

  @Property({ ...timestamp, nullable: true })
  lastUsedAt?: Date

  @Property({ ...timestamp, nullable: true })
  revokedAt?: Date
}
