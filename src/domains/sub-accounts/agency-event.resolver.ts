import { Arg, Ctx, ID, Query, Resolver } from 'type-graphql'
import type { Context } from '../../database/index.js'
import { MayFail } from '../../kit/documentation.js'
import { Requires } from '../../kit/permissions.js'
import { findEvent } from './agency-event.reads.js'
import { AgencyEventRecord } from './agency-event.types.js'
import { PROVISIONING_ERRORS } from './provisioning-errors.service.js'

@Resolver()
export class AgencyEventResolver {
  @Query(() => AgencyEventRecord, { description: 'How far a call of the agency has come, and how it ended.' })
  @Requires('agency')
  @MayFail(PROVISIONING_ERRORS.EVENT_NOT_FOUND)
  agencyEvent(
    @Ctx() { db }: Context,
    @Arg('id', () => ID, { description: 'The id of the event.' }) id: string,
  ): Promise<AgencyEventRecord> {
    return findEvent(db, id)
  }
}
