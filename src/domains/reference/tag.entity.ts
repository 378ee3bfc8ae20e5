import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { Field, ID, ObjectType } from 'type-graphql'
import { TenantOwned } from '../../database/index.js'
import { Example } from '../../kit/documentation.js'
import { ReadWith } from '../../kit/permissions.js'
import { DateTime } from '../../kit/scalars.js'
import { newId } from '../../shared/ids.js'
import { Account } from '../accounts/account.entity.js'

@ObjectType({ description: 'A coloured label that an account puts on its contacts.', simpleResolvers: true })
@Entity()
@TenantOwned()
@ReadWith('tags:read')
export class Tag {
  @Field(() => ID, { description: 'The unique id of the tag.' })
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @ManyToOne(() => Account, { mapToPk: true, fieldName: 'account_id', deleteRule: 'cascade' })
  accountId!: string

  @Field(() => String, { description: 'The name, unique in the account without regard to case.' })
  @Property({ type: 'string', length: 255 })
  @Example('Hot lead')
  name!: string

  @Field(() => String, { description: 'A CSS colour to show the tag in, such as #2563eb.' })
  @Property({ type: 'string', length: 32 })
  @Example('#dc2626')
  color!: string

  @Field(() => DateTime, { description: 'When the tag was created.' })
  @Property({ columnType: 'timestamptz(3)', type: 'datetime', defaultRaw: 'now()' })
  createdAt!: Date & Opt
}
