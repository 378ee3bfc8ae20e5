import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { Field, ID, ObjectType } from 'type-graphql'
import { TenantOwned, timestamp } from '../../database/index.js'
import { Example } from '../../kit/documentation.js'
import { ReadWith } from '../../kit/permissions.js'
import { DateTime } from '../../kit/scalars.js'
import { newId } from '../../shared/ids.js'
import { Account } from '../accounts/account.entity.js'

@ObjectType({
  description: 'Who mails come from, and the key that its domain vouches for them with.',
  simpleResolvers: true,
})
@Entity()
@TenantOwned()
@ReadWith('mail:read')
export class EmailSender {
  @Field(() => ID, { description: 'The unique id of the sender.' })
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @ManyToOne(() => Account, { mapToPk: true, fieldName: 'account_id', deleteRule: 'cascade' })
  accountId!: string

  @Field(() => String, { description: 'The name that is shown beside the address.' })
  @Property({ type: 'string', length: 255 })
  @Example('Ana of Aurora')
  name!: string

  @Field(() => String, { description: 'The email address.' })
  @Property({ type: 'string', length: 320 })
  @Example('ana@aurora.example')
  address!: string

  @Field(() => Boolean, { description: 'Whether mails come from it where no other sender is named.' })
  @Property({ type: 'boolean', default: false })
  isDefault: boolean & Opt = false

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the DNS record was last found in its place; null before, and then nothing is sent.',
  })
  @Property({ ...timestamp, nullable: true })
  verifiedAt?: Date | null

  @Property({ type: 'string', length: 63 })
  dkimSelector!: string

  @Field(() => String, { description: 'The name of the DNS record (TXT) to be made, so that its mails are trusted.' })
  @Property({ type: 'string', length: 400 })
  @Example('fl4k2m9x._domainkey.aurora.example')
  dnsName!: string

  @Field(() => String, { description: 'What that record holds: the public key (RFC 6376).' })
  @Property({ type: 'text' })
  @Example('v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A')
  dnsValue!: string

  /** Sealed with ENCRYPTION_KEY, for this sender alone. */
  @Property({ type: 'blob', columnType: 'bytea' })
  dkimPrivateKey!: Buffer

  @Field(() => DateTime, { description: 'When the sender was created.' })
  @Property({ ...timestamp, defaultRaw: "'infinity'" })
  createdAt!: Date & Opt

  @Field(() => DateTime, { description: 'When the sender last changed.' })
  @Property({ ...timestamp, defaultRaw: "'infinity'" })
  updatedAt!: Date & Opt

  /** When it was deleted: it sends no longer, but its mails still name it. */
  @Property({ ...timestamp, nullable: true })
  deletedAt?: Date | null
}
