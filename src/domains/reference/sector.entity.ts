import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { Field, ID, ObjectType } from 'type-graphql'
import { TenantOwned, timestamp } from '../../database/index.js'
import { Example } from '../../kit/documentation.js'
import { ReadWith } from '../../kit/permissions.js'
import { DateTime } from '../../kit/scalars.js'
import { newId } from '../../shared/ids.js'
import { Account } from '../accounts/account.entity.js'

@ObjectType({ description: 'A part of the company that opportunities and users belong to.', simpleResolvers: true })
@Entity()
@TenantOwned()
@ReadWith('sectors:read')
export class Sector {
  @Field(() => ID, { description: 'The unique id of the sector.' })
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @ManyToOne(() => Account, { mapToPk: true, fieldName: 'account_id', deleteRule: 'cascade' })
  accountId!: string

  @Field(() => String, { description: 'The name, unique in the account without regard to case.' })
  @Property({ type: 'string', length: 255 })
  @Example('Inside sales')
  name!: string

  @Field(() => String, { nullable: true, description: 'What the sector does.' })
  @Property({ type: 'text', nullable: true })
  @Example('Sells by phone and chat.')
  description?: string | null

  @Field(() => String, { nullable: true, description: 'A CSS colour to show the sector in, such as #2563eb.' })
  @Property({ type: 'string', length: 32, nullable: true })
  @Example('#2563eb')
  color?: string | null

  @Field(() => Boolean, { description: 'Whether the sector is in use.' })
  @Property({ type: 'boolean', default: true })
  isActive: boolean & Opt = true

  @Field(() => DateTime, { description: 'When the sector was created.' })
  @Property({ ...timestamp, defaultRaw: "'infinity'" })
  createdAt!: Date & Opt

  @Field(() => DateTime, { description: 'When the sector last changed.' })
  @Property({ ...timestamp, defaultRaw: "'infinity'" })
  updatedAt!: Date & Opt

  /** When it was deleted: it is listed no longer, but what refers to it still names it. */
  @Property({ ...timestamp, nullable: true })
  deletedAt?: Date | null
}
