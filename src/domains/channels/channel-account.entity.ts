import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { TenantOwned, timestamp } from '../../database/index.js'
import type { ChannelKind } from '../../integrations/channels/index.js'
import { newId } from '../../shared/ids.js'
import { Account } from '../accounts/account.entity.js'

/** Whether messages go through a channel account. */
export enum ChannelAccountStatus {
  CONNECTED = 'connected',
  DISCONNECTED = 'disconnected',
}

/** A number or profile of the account that messages go through. */
@Entity()
@TenantOwned()
export class ChannelAccount {
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @ManyToOne(() => Account, { mapToPk: true, fieldName: 'account_id', deleteRule: 'cascade' })
  accountId!: string

  @Property({ type: 'string', length: 255 })
  name!: string

  @Property({ type: 'string', length: 16 })
  kind!: ChannelKind

  /** What the provider calls it, such as WhatsApp's phone number id. */
  @Property({ type: 'string', length: 128 })
  externalId!: string

  /** What people know it by. */
  @Property({ type: 'string', length: 255, nullable: true })
  address?: string | null

  /** Within which the provider's user ids mean somebody. */
  @Property({ type: 'string', length: 128, nullable: true })
  portfolioId?: string | null

  @Property({ type: 'string', length: 16 })
  status!: ChannelAccountStatus

  /** Sealed with ENCRYPTION_KEY, for this record alone; null when disconnected. */
  @Property({ type: 'blob', columnType: 'bytea', nullable: true })
  credentials?: Buffer | null

  @Property({ ...timestamp, nullable: true })
  connectedAt?: Date | null

  @Property({ ...timestamp, nullable: true })
  disconnectedAt?: Date | null

  @Property({ ...timestamp, defaultRaw: "'infinity'" })
  createdAt!: Date & Opt

  @Property({ ...timestamp, defaultRaw: "'infinity'" })
  updatedAt!: Date & Opt
}
