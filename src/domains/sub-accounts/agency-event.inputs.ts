import { Field, ID, InputType } from 'type-graphql'
import { RecordId } from '../../kit/constraints.js'
import { DateBoundScalar } from '../../kit/scalars.js'
import type { DateBound } from '../../shared/time.js'
import { ACTIONS, AgencyEventStatus } from './agency-event.entity.js'

@InputType({ description: 'Which events to list: those that meet every condition given.' })
export class AgencyEventFilter {
  @Field(() => ID, { nullable: true, description: 'Only those of this agency.' })
  @RecordId()
  agencyId?: string | null

  @Field(() => ID, { nullable: true, description: 'Only those about this sub-account.' })
  @RecordId()
  subAccountId?: string | null

  @Field(() => AgencyEventStatus, { nullable: true, description: 'How far they have come.' })
  status?: AgencyEventStatus | null

  @Field(() => String, { nullable: true, description: `What they do: ${ACTIONS.join(', ')}.` })
  action?: string | null

  @Field(() => String, { nullable: true, description: 'The code of the error that they failed with.' })
  errorCode?: string | null

  @Field(() => DateBoundScalar, { nullable: true, description: 'The earliest time at which the call came, inclusive.' })
  from?: DateBound | null

  @Field(() => DateBoundScalar, { nullable: true, description: 'The latest time at which the call came, inclusive.' })
  to?: DateBound | null
}
