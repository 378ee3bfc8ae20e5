import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { TenantOwned, timestamp } from '../../database/index.js'
import { newId } from '../../shared/ids.js'
import { Account } from '../accounts/account.entity.js'
import { ChannelAccount } from '../channels/channel-account.entity.js'

/** What a provider told of a message before anybody knew which it is: its id is stored when it has been handed over. */
@Entity()
@TenantOwned()
export class MessageReceipt {
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @ManyToOne(() => Account, { mapToPk: true, fieldName: 'account_id', deleteRule: 'cascade' })
  accountId!: string

  @ManyToOne(() => ChannelAccount, { mapToPk: true, fieldName: 'channel_account_id', deleteRule: 'cascade' })
  channelAccountId!: string

  @Property({ type: 'blob', columnType: 'bytea' })
  providerKey!: Buffer

  @Property({ type: 'string', length: 16 })
  status!: string

  @Property({ ...timestamp })
  at!: Date

  @Property({ type: 'text', nullable: true })
  reason?: string | null

  @Property({ ...timestamp, defaultRaw: 'now()' })
  createdAt!: Date & Opt
}
