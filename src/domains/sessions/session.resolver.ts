import { Arg, Args, Ctx, ID, Int, Mutation, Query, Resolver } from 'type-graphql'
import type { Context } from '../../database/index.js'
import { MayFail } from '../../kit/documentation.js'
import { Requires } from '../../kit/permissions.js'
import { login } from './login.service.js'
import { whoAmI } from './me.service.js'
import { changePassword } from './password-change.service.js'
import { ChangePasswordArgs, LoginArgs } from './session.inputs.js'
import { endSession, endSessions, listSessions } from './session.service.js'
import { Login, Me } from './session.types.js'
import { SIGN_IN_ERRORS } from './session-credential.service.js'
import { SignInSession } from './sign-in-session.entity.js'

@Resolver()
export class SignInResolver {
  @Mutation(() => Login, {
    description:
      'Signs a person in: the token that comes back opens `/graphql` until the session ends. INVALID_CREDENTIALS ' +
      'whatever is wrong, and RATE_LIMIT_EXCEEDED after several failures, with the seconds to wait.',
  })
  @Requires('public')
  @MayFail(SIGN_IN_ERRORS.INVALID_CREDENTIALS, 'RATE_LIMIT_EXCEEDED')
  login(@Ctx() context: Context, @Args(() => LoginArgs) { email, password }: LoginArgs): Promise<Login> {
    return login(context.asService(), context, email, password)
  }

  @Mutation(() => Boolean, { description: 'Ends the session that asks.' })
  @Requires('fresh_session')
  async logout(@Ctx() context: Context): Promise<boolean> {
    const { id, userId } = context.viewer.actor
    return (await endSessions(context.asService(), userId!, { only: id })) > 0
  }

  @Mutation(() => Boolean, {
    description:
      'Gives you another password and ends your other sessions. INVALID_CREDENTIALS when the present one is wrong.',
  })
  @Requires('fresh_session')
  @MayFail(SIGN_IN_ERRORS.INVALID_CREDENTIALS, 'RATE_LIMIT_EXCEEDED')
  async changePassword(
    @Ctx() context: Context,
    @Args(() => ChangePasswordArgs) passwords: ChangePasswordArgs,
  ): Promise<boolean> {
    await changePassword(context.asService(), context, context.viewer.actor, passwords)
    return true
  }

  @Query(() => Me, { description: 'Who you are, once you have signed in.' })
  @Requires('fresh_session')
  me(@Ctx() context: Context): Promise<Me> {
    return whoAmI(context)
  }

  @Query(() => [SignInSession], { description: 'Your sessions, the last used first; 200 of them at most.' })
  @Requires('session')
  sessions(@Ctx() context: Context): Promise<SignInSession[]> {
    return listSessions(context.asService(), context.viewer.actor)
  }

  @Mutation(() => Boolean, { description: 'Ends a session of yours.' })
  @Requires('session')
  @MayFail('NOT_FOUND')
  async revokeSession(
    @Ctx() context: Context,
    @Arg('id', () => ID, { description: 'The id of the session.' }) id: string,
  ): Promise<boolean> {
    await endSession(context.asService(), context.viewer.actor, id)
    return true
  }

  @Mutation(() => Int, { description: 'Ends all your sessions, and tells how many that were.' })
  @Requires('session')
  revokeSessions(
    @Ctx() context: Context,
    @Arg('keepThis', () => Boolean, { defaultValue: false, description: 'Whether the session that asks goes on.' })
    keepThis: boolean,
  ): Promise<number> {
    const { id, userId } = context.viewer.actor
    return endSessions(context.asService(), userId!, { but: keepThis ? id : null })
  }
}
