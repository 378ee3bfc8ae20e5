import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt, Rel } from '@mikro-orm/postgresql'
import { TenantOwned } from '../../database/index.js'
import { newId } from '../../shared/ids.js'
import { Contact } from './contact.entity.js'

/** A visit by which a contact found the account. */
@Entity()
@TenantOwned()
export class ContactTouch {
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @Property({ type: 'uuid' })
  accountId!: string

  @ManyToOne(() => Contact, { deleteRule: 'cascade' })
  contact!: Rel<Contact>

  @Property({ columnType: 'timestamptz(3)', type: 'datetime', defaultRaw: 'now()' })
  occurredAt!: Date & Opt

  @Property({ type: 'string', length: 255, nullable: true })
  channel?: string | null

  @Property({ type: 'string', length: 2048, nullable: true })
  landingUrl?: string | null

  @Property({ type: 'string', length: 255, nullable: true })
  utmSource?: string | null

  @Property({ type: 'string', length: 255, nullable: true })
  utmMedium?: string | null

  @Property({ type: 'string', length: 255, nullable: true })
  utmCampaign?: string | null

  /** Everything that was sent of the visit, under the names that addresses use. */
  @Property({ type: 'json' })
  raw!: Record<string, unknown>
}
