import type { GraphQLResolveInfo } from 'graphql'
import { Arg, Ctx, ID, Info, Mutation, Resolver } from 'type-graphql'
import type { Context } from '../../database/index.js'
import { MayFail } from '../../kit/documentation.js'
import { ActsOutside } from '../../kit/outside.js'
import { Requires } from '../../kit/permissions.js'
import { DateTime } from '../../kit/scalars.js'
import { selectionOf } from '../../kit/selection.js'
import { AgencyEvent } from './agency-event.entity.js'
import { endTrialOf, startTrialOf } from './operator-event.service.js'
import { PROVISIONING_ERRORS as ERRORS } from './provisioning-errors.service.js'

const OUTCOME = 'Returns the event by which it happens, which waits while others of the sub-account have not ended.'

@Resolver()
export class TrialResolver {
  @Mutation(() => AgencyEvent, {
    description:
      'Starts the free trial of a sub-account, or gives the one that runs another end. It has WhatsApp alone meanwhile; ' +
      `seats that were paid are released without credit. ${OUTCOME}`,
  })
  @Requires('agencies:write')
  @ActsOutside()
  @MayFail('NOT_FOUND', ERRORS.TRIAL_CHANNEL_LOCKED)
  startTrial(
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('subAccountId', () => ID, { description: 'The id of the sub-account.' }) subAccountId: string,
    @Arg('endsAt', () => DateTime, { description: 'When it ends; in the future.' }) endsAt: Date,
  ): Promise<AgencyEvent> {
    return startTrialOf(context.asService(), subAccountId, endsAt, selectionOf(info))
  }

  @Mutation(() => AgencyEvent, {
    description:
      'Ends the trial of a sub-account before its time: its seats are charged for the rest of the cycle. When the card is ' +
      `declined they are set to 0, and the event has failed and says why. ${OUTCOME}`,
  })
  @Requires('agencies:write')
  @ActsOutside()
  @MayFail('NOT_FOUND')
  endTrial(
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('subAccountId', () => ID, { description: 'The id of the sub-account.' }) subAccountId: string,
  ): Promise<AgencyEvent> {
    return endTrialOf(context.asService(), subAccountId, selectionOf(info))
  }
}
