import { ArgsType, Field, ID, InputType } from 'type-graphql'
import { EmailAddress, MaxLength, NotNull, Password, RecordId } from '../../kit/constraints.js'
import { UserRole } from '../users/index.js'

@ArgsType()
export class ChoosePasswordArgs {
  @Field(() => String, { description: 'What stands behind `token=` in the link.' })
  @Password()
  token!: string

  @Field(() => String, { description: 'The password that you choose: 10 to 200 characters, any of them.' })
  @Password()
  password!: string
}

@InputType({ description: 'Who is invited; a seller unless said otherwise.' })
export class InviteUserInput {
  @Field(() => String, { description: 'The full name.' })
  @MaxLength(255)
  name!: string

  @Field(() => String, { description: 'Where the link goes; no other user of the whole service may have it.' })
  @EmailAddress()
  email!: string

  @Field(() => UserRole, { nullable: true, description: 'What the user may do.' })
  @NotNull()
  role?: UserRole

  @Field(() => ID, { nullable: true, description: 'The id of the sector that the user works in.' })
  @RecordId()
  sectorId?: string | null
}
