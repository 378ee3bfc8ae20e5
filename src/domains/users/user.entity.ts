import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { Field, ID, ObjectType, registerEnumType } from 'type-graphql'
import { TenantOwned, timestamp } from '../../database/index.js'
import { Example, ExampleRecords } from '../../kit/documentation.js'
import { ReadWith } from '../../kit/permissions.js'
import { DateTime } from '../../kit/scalars.js'
import { newId } from '../../shared/ids.js'
import { Account } from '../accounts/account.entity.js'
import { Sector } from '../reference/sector.entity.js'

/** What a user may do in the account; `role.policy.ts` says what that is. */
export enum UserRole {
  ADMIN = 'admin',
  MANAGER = 'manager',
  SELLER = 'seller',
}
registerEnumType(UserRole, {
  name: 'UserRole',
  description: 'What a user may do in the account.',
  valuesConfig: {
    ADMIN: { description: 'Everything; each account has at least one.' },
    MANAGER: { description: 'Work with all records and reports, but manage neither settings nor users nor keys.' },
    SELLER: { description: 'Work with their own opportunities and the contacts and conversations that go with them.' },
  },
})

@ObjectType({ description: 'A person who works in the account.', simpleResolvers: true })
@Entity({ tableName: 'app_user' })
@TenantOwned()
@ReadWith('users:read')
@ExampleRecords({ role: UserRole.SELLER })
export class User {
  @Field(() => ID, { description: 'The unique id of the user.' })
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @ManyToOne(() => Account, { mapToPk: true, fieldName: 'account_id', deleteRule: 'cascade' })
  accountId!: string

  @Field(() => String, { description: 'The full name.' })
  @Property({ type: 'string', length: 255 })
  @Example('Bia Ramos')
  name!: string

  @Field(() => String, { description: 'The email address, unique in the whole service without regard to case.' })
  @Property({ type: 'string', length: 320 })
  @Example('bia.ramos@example.com')
  email!: string

  @Field(() => UserRole, { description: 'What the user may do.' })
  @Property({ type: 'string', length: 16, default: UserRole.SELLER })
  role: UserRole & Opt = UserRole.SELLER

  @Field(() => ID, { nullable: true, description: 'The id of the sector that the user works in.' })
  @ManyToOne(() => Sector, { mapToPk: true, fieldName: 'sector_id', nullable: true })
  sectorId?: string | null

  @Field(() => Boolean, { description: 'Whether the user may work and be given opportunities.' })
  @Property({ type: 'boolean', default: true })
  isActive: boolean & Opt = true

  @Field(() => DateTime, { description: 'When the user was created.' })
  @Property({ ...timestamp, defaultRaw: 'now()' })
  createdAt!: Date & Opt

  /** When it was deleted: it is listed no longer, but what refers to it still names it. */
  @Property({ ...timestamp, nullable: true })
  deletedAt?: Date | null
}
