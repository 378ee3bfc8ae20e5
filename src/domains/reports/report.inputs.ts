import { Field, ID, InputType } from 'type-graphql'
import { Example, exampleId } from '../../kit/documentation.js'
import { DateBoundScalar } from '../../kit/scalars.js'
import type { DateBound } from '../../shared/time.js'

@InputType({ description: 'Which opportunities a report is about: those that meet every condition given.' })
export class ReportFilter {
  @Field(() => ID, { nullable: true, description: 'In this pipeline.' })
  pipelineId?: string | null

  @Field(() => ID, { nullable: true, description: 'Of this sector.' })
  sectorId?: string | null

  @Field(() => ID, { nullable: true, description: 'Owned by this user.' })
  @Example(exampleId('User'))
  ownerUserId?: string | null

  @Field(() => DateBoundScalar, { nullable: true, description: 'Created at this time or later.' })
  from?: DateBound | null

  @Field(() => DateBoundScalar, { nullable: true, description: 'Created at this time or earlier.' })
  to?: DateBound | null
}
