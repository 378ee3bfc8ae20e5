import { Arg, Ctx, Mutation, Resolver } from 'type-graphql'
import type { Context } from '../../database/index.js'
import { ExampleErrors, MayFail } from '../../kit/documentation.js'
import { ActsOutside } from '../../kit/outside.js'
import { Requires } from '../../kit/permissions.js'
import { eventInHand } from './event-journal.service.js'
import { ERROR_EXAMPLES, PROVISIONING_ERRORS as ERRORS } from './provisioning-errors.service.js'
import { CreateSubAccountInput, UpdateSubAccountChannelsInput } from './sub-account.inputs.js'
import { ChangedChannels, CreatedSubAccount, DeletedSubAccount } from './sub-account.types.js'

const REFERENCE = 'The id of the sub-account, or `ext:` and its external_ref.'

@Resolver()
export class SubAccountResolver {
  @Mutation(() => CreatedSubAccount, {
    description: 'Creates a sub-account with its first admin, and charges its seats.',
  })
  @Requires('sub_account.create')
  @ActsOutside()
  @MayFail(
    ERRORS.NO_PAYMENT_METHOD,
    ERRORS.SEAT_CHARGE_FAILED,
    ERRORS.EMAIL_ALREADY_REGISTERED,
    ERRORS.EXTERNAL_REF_ALREADY_USED,
    ERRORS.RATE_LIMIT_SUBACCOUNT_CREATE,
    ERRORS.TRANSIENT_FAILURE,
  )
  @ExampleErrors({
    ...ERROR_EXAMPLES,
    SEAT_CHARGE_FAILED: { message: 'The card on file was declined; nothing was created.' },
  })
  createSubAccount(
    @Ctx() context: Context,
    @Arg('input', () => CreateSubAccountInput, { description: 'What to create.' }) input: CreateSubAccountInput,
  ): Promise<CreatedSubAccount> {
    return eventInHand(context).carryOut('sub_account.create', input)
  }

  @Mutation(() => ChangedChannels, {
    description: 'Brings the seats of a sub-account to what is named, and charges more of them.',
  })
  @Requires('sub_account.channels')
  @ActsOutside()
  @MayFail(
    ERRORS.SEAT_CHARGE_FAILED,
    ERRORS.SUB_ACCOUNT_FORBIDDEN,
    ERRORS.SUB_ACCOUNT_NOT_FOUND,
    ERRORS.TRIAL_CHANNEL_LOCKED,
    ERRORS.TRANSIENT_FAILURE,
  )
  @ExampleErrors(ERROR_EXAMPLES)
  updateSubAccountChannels(
    @Ctx() context: Context,
    @Arg('reference', () => String, { description: REFERENCE }) reference: string,
    @Arg('input', () => UpdateSubAccountChannelsInput, { description: 'The seats.' })
    { channels }: UpdateSubAccountChannelsInput,
  ): Promise<ChangedChannels> {
    return eventInHand(context).carryOut('sub_account.channels.update', { reference, channels })
  }

  @Mutation(() => DeletedSubAccount, {
    description: 'Ends a sub-account: its people and keys are shut out, its seats given back without credit.',
  })
  @Requires('sub_account.delete')
  @ActsOutside()
  @MayFail(ERRORS.SUB_ACCOUNT_FORBIDDEN, ERRORS.SUB_ACCOUNT_NOT_FOUND, ERRORS.TRANSIENT_FAILURE)
  @ExampleErrors(ERROR_EXAMPLES)
  deleteSubAccount(
    @Ctx() context: Context,
    @Arg('reference', () => String, { description: REFERENCE }) reference: string,
  ): Promise<DeletedSubAccount> {
    return eventInHand(context).carryOut('sub_account.delete', { reference })
  }
}
