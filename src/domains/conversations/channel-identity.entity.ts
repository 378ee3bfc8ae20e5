import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { TenantOwned } from '../../database/index.js'
import type { ChannelKind } from '../../integrations/channels/index.js'
import { newId } from '../../shared/ids.js'
import { Account } from '../accounts/account.entity.js'
import { Contact } from '../contacts/contact.entity.js'

/** What a provider calls a contact, within one business portfolio. */
@Entity()
@TenantOwned()
export class ChannelIdentity {
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @ManyToOne(() => Account, { mapToPk: true, fieldName: 'account_id', deleteRule: 'cascade' })
  accountId!: string

  @ManyToOne(() => Contact, { mapToPk: true, fieldName: 'contact_id', deleteRule: 'cascade' })
  contactId!: string

  @Property({ type: 'string', length: 16 })
  kind!: ChannelKind

  @Property({ type: 'string', length: 128 })
  portfolioId!: string

  @Property({ type: 'string', length: 255 })
  userId!: string
}
