import { Arg, Args, Ctx, Mutation, Resolver } from 'type-graphql'
import type { Context } from '../../database/index.js'
import { MayFail } from '../../kit/documentation.js'
import { Requires } from '../../kit/permissions.js'
import { ChoosePasswordArgs } from './link.inputs.js'
import { choosePassword } from './link-password.service.js'
import { requestPasswordReset } from './password-reset.service.js'
import { SIGN_IN_ERRORS } from './session-credential.service.js'

@Resolver()
export class PasswordResetResolver {
  @Mutation(() => Boolean, {
    description:
      'Mails a link by which a forgotten password is replaced, good for an hour and once; an earlier one ends. The ' +
      'answer is true whether or not somebody has the email.',
  })
  @Requires('public')
  @MayFail('RATE_LIMIT_EXCEEDED')
  async requestPasswordReset(
    @Ctx() context: Context,
    @Arg('email', () => String, { description: 'The email address, in upper or lower case.' }) email: string,
  ): Promise<boolean> {
    await requestPasswordReset(context.asService(), context, email)
    return true
  }

  @Mutation(() => Boolean, {
    description: 'Replaces the password of whoever was mailed the link, and ends all their sessions.',
  })
  @Requires('public')
  @MayFail(SIGN_IN_ERRORS.INVALID_LINK)
  async resetPassword(
    @Ctx() context: Context,
    @Args(() => ChoosePasswordArgs) chosen: ChoosePasswordArgs,
  ): Promise<boolean> {
    await choosePassword(context.asService(), 'reset', chosen)
    return true
  }
}
