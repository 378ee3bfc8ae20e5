import { Field, ID, ObjectType, registerEnumType } from 'type-graphql'
import { ReadWith } from '../../kit/permissions.js'
import { DateTime } from '../../kit/scalars.js'
import { Account } from '../accounts/account.entity.js'
import { UserRole } from '../users/user.entity.js'

/** Whether who signs in belongs to an account, or runs the service. */
export enum PersonKind {
  USER = 'user',
  OPERATOR = 'operator',
}
registerEnumType(PersonKind, {
  name: 'PersonKind',
  description: 'Whether who signs in belongs to an account or runs the service.',
  valuesConfig: {
    USER: { description: 'A user of an account.' },
    OPERATOR: { description: 'Somebody who runs the service and belongs to no account.' },
  },
})

@ObjectType({ description: 'A session that has begun.', simpleResolvers: true })
@ReadWith('any')
export class Login {
  @Field(() => String, {
    description: 'What to send as `Authorization: Bearer …` from now on; it is shown this once.',
  })
  token!: string

  @Field(() => DateTime, { description: 'When the session ends at the latest; it ends sooner when it is not used.' })
  expiresAt!: Date

  @Field(() => Boolean, {
    description: 'Whether the password is a temporary one: nothing works then before changePassword.',
  })
  mustChangePassword!: boolean
}

@ObjectType({ description: 'Who has signed in.', simpleResolvers: true })
@ReadWith('any')
export class Me {
  @Field(() => ID, { description: 'The id of the user or operator.' })
  id!: string

  @Field(() => PersonKind, { description: 'Whether it is a user or an operator.' })
  kind!: PersonKind

  @Field(() => String, { description: 'The full name.' })
  name!: string

  @Field(() => String, { description: 'The email address.' })
  email!: string

  @Field(() => UserRole, { nullable: true, description: 'What a user may do; null for an operator.' })
  role!: UserRole | null

  @Field(() => [String], { description: 'The permissions that this comes to; none while the password is temporary.' })
  permissions!: readonly string[]

  @Field(() => Boolean, { description: 'Whether the password must be changed before anything else.' })
  mustChangePassword!: boolean

  @Field(() => Account, { nullable: true, description: 'The account of a user; null for an operator.' })
  account!: Account | null
}
