import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql'
import { TenantOwned, timestamp } from '../../database/index.js'
import { Example } from '../../kit/documentation.js'
import { ReadWith } from '../../kit/permissions.js'
import { DateTime } from '../../kit/scalars.js'
import { newId } from '../../shared/ids.js'
import { Account } from '../accounts/account.entity.js'
import { Contact } from '../contacts/contact.entity.js'
import { EmailSender } from './sender.entity.js'
import { EmailTemplate } from './template.entity.js'

/** What became of a mail. */
export enum MailStatus {
  QUEUED = 'queued',
  SENDING = 'sending',
  SENT = 'sent',
  FAILED = 'failed',
  UNKNOWN = 'unknown',
  SUPPRESSED = 'suppressed',
}
registerEnumType(MailStatus, {
  name: 'MailStatus',
  description: 'What became of a mail.',
  valuesConfig: {
    QUEUED: { description: 'It waits to be sent, for the first time or again.' },
    SENDING: { description: 'It is being handed to the mail server.' },
    SENT: { description: 'The mail server has taken it.' },
    FAILED: { description: 'It was not sent, and will not be.' },
    UNKNOWN: { description: 'It may have been sent: the connection or the process ended first. It is not sent again.' },
    SUPPRESSED: { description: 'It was not sent: the person wants no mail, or was deleted.' },
  },
})

@ObjectType({ description: 'A mail to a contact, and what became of it.', simpleResolvers: true })
@Entity()
@TenantOwned()
@ReadWith('mail:read')
export class Mail {
  @Field(() => ID, { description: 'The unique id of the mail.' })
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @ManyToOne(() => Account, { mapToPk: true, fieldName: 'account_id', deleteRule: 'cascade' })
  accountId!: string

  @Field(() => ID, { nullable: true, description: 'The id of the contact; null once it is deleted.' })
  @ManyToOne(() => Contact, { mapToPk: true, fieldName: 'contact_id', nullable: true })
  contactId?: string | null

  @Field(() => ID, { description: 'The id of the template that it was made with.' })
  @ManyToOne(() => EmailTemplate, { mapToPk: true, fieldName: 'template_id' })
  templateId!: string

  @Field(() => ID, { description: 'The id of the sender.' })
  @ManyToOne(() => EmailSender, { mapToPk: true, fieldName: 'sender_id' })
  senderId!: string

  @Field(() => MailStatus, { description: 'What became of it.' })
  @Property({ type: 'string', length: 16 })
  status!: MailStatus

  @Field(() => String, {
    nullable: true,
    description: 'The address that it goes to; null once the contact is deleted.',
  })
  @Property({ type: 'string', length: 320, nullable: true })
  @Example('ana.souza@example.com')
  recipient?: string | null

  @Field(() => String, { nullable: true, description: 'The subject; null once the contact is deleted.' })
  @Property({ type: 'text', nullable: true })
  @Example('Ana, an idea for Aurora Energia')
  subject?: string | null

  @Field(() => String, { nullable: true, description: 'The HTML; null once the contact is deleted.' })
  @Property({ type: 'text', nullable: true })
  html?: string | null

  @Field(() => String, { nullable: true, description: 'The plain text; null once the contact is deleted.' })
  @Property({ type: 'text', nullable: true })
  text?: string | null

  @Field(() => String, { nullable: true, description: 'Why it was not sent, or not yet, or why nobody knows.' })
  @Property({ type: 'text', nullable: true })
  error?: string | null

  /** An HMAC of the address, which stays. */
  @Property({ type: 'blob', columnType: 'bytea' })
  addressKey!: Buffer

  @Field(() => Int, { description: 'How often the mail server was asked to take it.' })
  @Property({ type: 'integer', default: 0 })
  attempts: number & Opt = 0

  /** When it is to be sent, or, while that goes on, when whoever does it must have died. */
  @Property({ ...timestamp, nullable: true })
  dueAt?: Date | null

  @Field(() => DateTime, { nullable: true, description: 'When the mail server took it.' })
  @Property({ ...timestamp, nullable: true })
  sentAt?: Date | null

  @Field(() => DateTime, { description: 'When the mail was made.' })
  @Property({ ...timestamp, defaultRaw: "'infinity'" })
  createdAt!: Date & Opt

  @Field(() => DateTime, { description: 'When its status last changed.' })
  @Property({ ...timestamp, defaultRaw: "'infinity'" })
  updatedAt!: Date & Opt
}
