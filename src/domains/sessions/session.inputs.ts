import { ArgsType, Field } from 'type-graphql'
import { MaxLength, Password } from '../../kit/constraints.js'

@ArgsType()
export class LoginArgs {
  @Field(() => String, { description: 'The email address, in upper or lower case.' })
  @MaxLength(320)
  email!: string

  @Field(() => String, { description: 'The password.' })
  @Password()
  password!: string
}

@ArgsType()
export class ChangePasswordArgs {
  @Field(() => String, { description: 'The present password, be it a temporary one.' })
  @Password()
  currentPassword!: string

  @Field(() => String, { description: 'The new one: 10 to 200 characters, any of them.' })
  @Password()
  newPassword!: string
}
