import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { Field, ID, ObjectType } from 'type-graphql'
import { TenantOwned, timestamp } from '../../database/index.js'
import { ReadWith } from '../../kit/permissions.js'
import { DateTime } from '../../kit/scalars.js'
import { Account } from '../accounts/account.entity.js'
import { SignIn } from './sign-in.entity.js'

@ObjectType({ description: 'A session of yours, from signing in to its end.', simpleResolvers: true })
@Entity()
@TenantOwned()
@ReadWith('any')
export class SignInSession {
  @Field(() => ID, { description: 'The unique id of the session.' })
  @PrimaryKey({ type: 'uuid' })
  id!: string

  @ManyToOne(() => SignIn, { mapToPk: true, fieldName: 'sign_in_id', deleteRule: 'cascade' })
  signInId!: string

  @ManyToOne(() => Account, { mapToPk: true, fieldName: 'account_id', nullable: true, deleteRule: 'cascade' })
  accountId?: string

  /** SHA-256 of the token. */
  @Property({ type: 'blob' })
  hash!: Buffer

  @Field(() => String, { description: 'What the program that signed in called itself, shortened; "" if nothing.' })
  @Property({ type: 'string', length: 255 })
  device!: string

  @Field(() => String, { description: 'The address of the network that it signed in from.' })
  @Property({ type: 'string', length: 64 })
  address!: string

  @Field(() => DateTime, { description: 'When it began.' })
  @Property({ ...timestamp, defaultRaw: 'now()' })
  createdAt!: Date & Opt

  @Field(() => DateTime, { description: 'When it was last used, to some ten seconds.' })
  @Property({ ...timestamp, defaultRaw: 'now()' })
  lastUsedAt!: Date & Opt

  @Field(() => DateTime, { description: 'When it ends, however much it is used.' })
  @Property({ ...timestamp })
  expiresAt!: Date

  @Field(() => Boolean, { description: 'Whether it is the session that asks.' })
  @Property({ persist: false, type: 'boolean' })
  isCurrent!: boolean & Opt
}
