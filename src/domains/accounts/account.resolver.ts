import { Arg, Ctx, Mutation, Resolver } from 'type-graphql'
import type { Context } from '../../database/index.js'
import { Requires } from '../../kit/permissions.js'
import { Account } from './account.entity.js'
import { UpdateAccountInput } from './account.inputs.js'
import { updateAccount } from './account-update.service.js'

@Resolver()
export class AccountResolver {
  @Mutation(() => Account, {
    description: 'Changes the given settings of the account. Another currency converts nothing: what has one keeps it.',
  })
  @Requires('settings:write')
  updateAccount(
    @Ctx() { db }: Context,
    @Arg('input', () => UpdateAccountInput, { description: 'What to change.' }) input: UpdateAccountInput,
  ): Promise<Account> {
    return updateAccount(db, input)
  }
}
