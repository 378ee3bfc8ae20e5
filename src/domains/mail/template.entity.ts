import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { Field, ID, ObjectType } from 'type-graphql'
import { TenantOwned, timestamp } from '../../database/index.js'
import { Example } from '../../kit/documentation.js'
import { ReadWith } from '../../kit/permissions.js'
import { DateTime } from '../../kit/scalars.js'
import { newId } from '../../shared/ids.js'
import { Account } from '../accounts/account.entity.js'

@ObjectType({ description: 'A mail with places for what is known of whom it goes to.', simpleResolvers: true })
@Entity()
@TenantOwned()
@ReadWith('mail:read')
export class EmailTemplate {
  @Field(() => ID, { description: 'The unique id of the template.' })
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @ManyToOne(() => Account, { mapToPk: true, fieldName: 'account_id', deleteRule: 'cascade' })
  accountId!: string

  @Field(() => String, { description: 'The name, for the people of the account.' })
  @Property({ type: 'string', length: 255 })
  @Example('First contact')
  name!: string

  @Field(() => String, { description: 'The subject, with variables such as {{first_name}}.' })
  @Property({ type: 'string', length: 255 })
  @Example('{{first_name}}, an idea for {{company}}')
  subject!: string

  @Field(() => String, { description: 'The HTML, with variables, whose values are escaped.' })
  @Property({ type: 'text' })
  @Example('<p>Hello {{first_name}}</p>')
  html!: string

  @Field(() => String, { nullable: true, description: 'The plain text; made of the HTML where there is none.' })
  @Property({ type: 'text', nullable: true })
  @Example('Hello {{first_name}}')
  text?: string | null

  @Field(() => DateTime, { description: 'When the template was created.' })
  @Property({ ...timestamp, defaultRaw: "'infinity'" })
  createdAt!: Date & Opt

  @Field(() => DateTime, { description: 'When the template last changed.' })
  @Property({ ...timestamp, defaultRaw: "'infinity'" })
  updatedAt!: Date & Opt

  /** When it was deleted: it is listed no longer, but mails that were made with it still name it. */
  @Property({ ...timestamp, nullable: true })
  deletedAt?: Date | null
}
