import { Field, ID, InputType } from 'type-graphql'
import { EmailAddress, MaxLength, NotNull, RecordId } from '../../kit/constraints.js'
import { UserRole } from './user.entity.js'

/** What a new user and a change of one have in common. */
@InputType()
abstract class UserFields {
  @Field(() => UserRole, { nullable: true, description: 'What the user may do.' })
  @NotNull()
  role?: UserRole

  @Field(() => ID, { nullable: true, description: 'The id of the sector that the user works in.' })
  @RecordId()
  sectorId?: string | null

  @Field(() => Boolean, { nullable: true, description: 'Whether the user may work and be given opportunities.' })
  @NotNull()
  isActive?: boolean
}

@InputType({ description: 'A new user; an active seller unless said otherwise.' })
export class CreateUserInput extends UserFields {
  @Field(() => String, { description: 'The full name.' })
  @MaxLength(255)
  name!: string

  @Field(() => String, { description: 'The email address; no other user of the whole service may have it.' })
  @EmailAddress()
  email!: string
}

@InputType({ description: 'What to change of a user: a field left out stays, null empties the sector.' })
export class UpdateUserInput extends UserFields {
  @Field(() => String, { nullable: true, description: 'The full name; it cannot be emptied.' })
  @MaxLength(255)
  @NotNull()
  name?: string

  @Field(() => String, { nullable: true, description: 'The email address; it cannot be emptied.' })
  @EmailAddress()
  @NotNull()
  email?: string
}
