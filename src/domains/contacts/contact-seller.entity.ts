import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt, Rel } from '@mikro-orm/postgresql'
import { TenantOwned, timestamp } from '../../database/index.js'
import { Contact } from './contact.entity.js'

/**
 * That a contact is a user's, and why: rows without a reason do not stay. Triggers of the tables that give a reason keep
 * it, so that no way to write those forgets it.
 */
@Entity()
@TenantOwned()
export class ContactSeller {
  @Property({ type: 'uuid' })
  accountId!: string

  @PrimaryKey({ type: 'uuid' })
  userId!: string

  @ManyToOne(() => Contact, { primary: true, deleteRule: 'cascade' })
  contact!: Rel<Contact>

  /** When the contact was created, which the database copies: a seller's contacts are read in this order, or in that of their names. */
  @Property({ ...timestamp })
  contactCreatedAt!: Date & Opt

  /** Whether the user created the contact. */
  @Property({ type: 'boolean', default: false })
  created: boolean & Opt = false

  /** How many of its opportunities the user owns. */
  @Property({ type: 'integer', default: 0 })
  opportunities: number & Opt = 0

  /** How many of its conversations the user looks after. */
  @Property({ type: 'integer', default: 0 })
  conversations: number & Opt = 0
}
