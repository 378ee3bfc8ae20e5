import { Arg, Args, Ctx, ID, Mutation, Resolver } from 'type-graphql'
import type { Context } from '../../database/index.js'
import { MayFail } from '../../kit/documentation.js'
import { Requires } from '../../kit/permissions.js'
import { User } from '../users/index.js'
import { inviteUser, resendInvitation } from './invitation.service.js'
import { ChoosePasswordArgs, InviteUserInput } from './link.inputs.js'
import { choosePassword } from './link-password.service.js'
import { SIGN_IN_ERRORS } from './session-credential.service.js'

@Resolver()
export class InvitationResolver {
  @Mutation(() => User, {
    description:
      'Creates a user and mails a link by which it chooses its password, good for seven days and once. ' +
      'DUPLICATE_ERROR when another one, of whatever account, has the email.',
  })
  @Requires('users:write')
  @MayFail('DUPLICATE_ERROR')
  inviteUser(
    @Ctx() { db }: Context,
    @Arg('input', () => InviteUserInput, { description: 'Who is invited.' }) input: InviteUserInput,
  ): Promise<User> {
    return inviteUser(db, input)
  }

  @Mutation(() => Boolean, {
    description: 'Mails another link to an active user who has chosen no password yet; an earlier one ends.',
  })
  @Requires('users:write')
  @MayFail('NOT_FOUND')
  async resendInvitation(
    @Ctx() { db }: Context,
    @Arg('userId', () => ID, { description: 'The id of the user.' }) userId: string,
  ): Promise<boolean> {
    await resendInvitation(db, userId)
    return true
  }

  @Mutation(() => Boolean, {
    description: 'Gives whoever was invited the password that they choose; then they sign in with it.',
  })
  @Requires('public')
  @MayFail(SIGN_IN_ERRORS.INVALID_LINK)
  async acceptInvitation(
    @Ctx() context: Context,
    @Args(() => ChoosePasswordArgs) chosen: ChoosePasswordArgs,
  ): Promise<boolean> {
    await choosePassword(context.asService(), 'invitation', chosen)
    return true
  }
}
