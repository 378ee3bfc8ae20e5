import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { Field, ID, ObjectType } from 'type-graphql'
import { TenantOwned, timestamp } from '../../database/index.js'
import { Example } from '../../kit/documentation.js'
import { ReadWith } from '../../kit/permissions.js'
import { DateTime } from '../../kit/scalars.js'
import { newId } from '../../shared/ids.js'
import { Account } from '../accounts/account.entity.js'
import { Contact } from '../contacts/contact.entity.js'

@ObjectType({
  description: 'That an address gets no mail any more. The address itself is not kept, so this outlives its deletion.',
  simpleResolvers: true,
})
@Entity()
@TenantOwned()
@ReadWith('mail:read')
export class MailSuppression {
  @Field(() => ID, { description: 'The unique id of the suppression.' })
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @ManyToOne(() => Account, { mapToPk: true, fieldName: 'account_id', deleteRule: 'cascade' })
  accountId!: string

  /** An HMAC of the address. */
  @Property({ type: 'blob', columnType: 'bytea' })
  addressKey!: Buffer

  @Field(() => ID, {
    nullable: true,
    description: 'The id of the contact who had the address; null once it is deleted.',
  })
  @ManyToOne(() => Contact, { mapToPk: true, fieldName: 'contact_id', nullable: true })
  contactId?: string | null

  @Field(() => String, { description: 'Why: unsubscribed by the person, or added by the account.' })
  @Property({ type: 'string', length: 16 })
  @Example('unsubscribed')
  reason!: string

  @Field(() => DateTime, { description: 'Since when.' })
  @Property({ ...timestamp, defaultRaw: 'clock_timestamp()' })
  createdAt!: Date & Opt
}
