import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt, Rel } from '@mikro-orm/postgresql'
import { Field, ID, ObjectType } from 'type-graphql'
import { TenantOwned, timestamp } from '../../database/index.js'
import { Example, ExampleRecords, WrittenOutside } from '../../kit/documentation.js'
import { ExtractedContacts } from '../../kit/extracted-contacts.js'
import { ReadWith } from '../../kit/permissions.js'
import { DateTime, JSONObject } from '../../kit/scalars.js'
import { newId } from '../../shared/ids.js'
import { Account } from '../accounts/account.entity.js'
import { Tag } from '../reference/tag.entity.js'

/** The unique index that keeps emails apart. */
export const EMAIL_INDEX = 'contact_email_key'

@ObjectType({ description: 'A person whom the account knows or wants to know.', simpleResolvers: true })
@Entity()
@TenantOwned()
@ReadWith('contacts:read')
@ExampleRecords({ lastInteraction: '2026-01-31T09:28:00.000Z' })
export class Contact {
  @Field(() => ID, { description: 'The unique id of the contact.' })
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @ManyToOne(() => Account, { mapToPk: true, fieldName: 'account_id', deleteRule: 'cascade' })
  accountId!: string

  @WrittenOutside()
  @Field(() => String, { description: 'The full name.' })
  @Property({ type: 'string', length: 255 })
  @Example('Ana Souza')
  name!: string

  @Field(() => String, {
    nullable: true,
    description: 'The email address, unique in the account without regard to case.',
  })
  @Property({ type: 'string', length: 320, nullable: true })
  @Example('ana.souza@example.com')
  email?: string | null

  @Field(() => String, { nullable: true, description: 'The phone number, in E.164 where it could be read as one.' })
  @Property({ type: 'string', length: 40, nullable: true })
  @Example('+5511987654321')
  phone?: string | null

  @WrittenOutside()
  @Field(() => String, { nullable: true, description: 'The company that the person works for.' })
  @Property({ type: 'string', length: 255, nullable: true })
  @Example('Aurora Energia')
  company?: string | null

  @WrittenOutside()
  @Field(() => String, { nullable: true, description: 'The job title.' })
  @Property({ type: 'string', length: 255, nullable: true })
  @Example('Head of Sales')
  title?: string | null

  @WrittenOutside()
  @Field(() => String, { nullable: true, description: 'Where the person is.' })
  @Property({ type: 'string', length: 255, nullable: true })
  @Example('São Paulo')
  location?: string | null

  @Field(() => String, { nullable: true, description: "The address of the person's LinkedIn profile." })
  @Property({ type: 'string', length: 2048, nullable: true })
  @Example('https://www.linkedin.com/in/ana-souza')
  linkedinProfileUrl?: string | null

  @WrittenOutside()
  @Field(() => String, { nullable: true, description: 'The line under the name in a profile.' })
  @Property({ type: 'string', length: 255, nullable: true })
  @Example('Building sales teams')
  headline?: string | null

  @WrittenOutside()
  @Field(() => String, { nullable: true, description: 'What the person says of themselves in a profile.' })
  @Property({ type: 'text', nullable: true })
  @Example('Fifteen years in renewable energy.')
  about?: string | null

  @Field(() => String, { nullable: true, description: "The address of the person's picture." })
  @Property({ type: 'string', length: 2048, nullable: true })
  @Example('https://example.com/ana.jpg')
  profilePicture?: string | null

  @Field(() => ExtractedContacts, { nullable: true, description: 'Addresses and numbers found in a profile.' })
  @Property({ type: 'json', nullable: true })
  extractedContacts?: ExtractedContacts | null

  @Field(() => String, {
    description: 'Where the lead came from; `api` when created through the API without a source.',
  })
  @Property({ type: 'string', length: 255, default: 'api' })
  @Example('linkedin')
  source: string & Opt = 'api'

  @Field(() => String, { nullable: true, description: 'The channel of the latest conversation or campaign.' })
  @Property({ type: 'string', length: 255, nullable: true })
  @Example('LINKEDIN')
  sourceChannel?: string | null

  @WrittenOutside()
  @Field(() => JSONObject, { nullable: true, description: "The account's own fields." })
  @Property({ type: 'json', nullable: true })
  @Example({ segment: 'SMB', employees: 40 })
  customFields?: Record<string, unknown> | null

  @Field(() => DateTime, { nullable: true, description: 'When something last happened with the contact.' })
  @Property({ ...timestamp, nullable: true })
  lastInteraction?: Date | null

  @Field(() => DateTime, { description: 'When the contact was created.' })
  @Property({ ...timestamp, defaultRaw: "'infinity'" })
  createdAt!: Date & Opt

  @Field(() => DateTime, {
    description: 'When the contact, its tags, notes or visits last changed; a tag that is renamed does not count.',
  })
  @Property({ ...timestamp, defaultRaw: "'infinity'" })
  updatedAt!: Date & Opt
}

/** That a contact carries a tag. */
@Entity()
@TenantOwned()
export class ContactTag {
  @ManyToOne(() => Contact, { primary: true, deleteRule: 'cascade' })
  contact!: Rel<Contact>

  @ManyToOne(() => Tag, { primary: true, deleteRule: 'cascade' })
  tag!: Rel<Tag>

  @Property({ type: 'uuid' })
  accountId!: string
}

@ObjectType({ description: 'A remark on a contact.', simpleResolvers: true })
@Entity()
@TenantOwned()
@ReadWith('contacts:read')
@ExampleRecords({ createdAt: '2026-01-26T13:35:00.000Z' })
export class ContactNote {
  @Field(() => ID, { description: 'The unique id of the note.' })
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @Property({ type: 'uuid' })
  accountId!: string

  @ManyToOne(() => Contact, { deleteRule: 'cascade' })
  contact!: Rel<Contact>

  @Field(() => String, { description: 'What was noted.' })
  @Property({ type: 'text' })
  @Example('Asked for a proposal.')
  note!: string

  @Field(() => DateTime, { description: 'When it was noted.' })
  @Property({ ...timestamp, defaultRaw: 'now()' })
  createdAt!: Date & Opt
}
