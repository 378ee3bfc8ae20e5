import { Field, ID, InputType } from 'type-graphql'
import { Example, exampleId } from '../../kit/documentation.js'
import { DateBoundScalar } from '../../kit/scalars.js'
import { SortOrder } from '../../kit/sorting.js'
import type { DateBound } from '../../shared/time.js'
import { OpportunitySortField } from './opportunity.inputs.js'

@InputType({ description: 'The order of a list of opportunities.' })
export class OpportunitySort {
  @Field(() => OpportunitySortField, { nullable: true, description: 'What to sort by; the creation if left out.' })
  by?: OpportunitySortField | null

  @Field(() => SortOrder, { nullable: true, description: 'In which direction; descending if left out.' })
  order?: SortOrder | null
}

@InputType({ description: 'Which opportunities to list: those that meet every condition given.' })
export class OpportunityFilter {
  @Field(() => String, {
    nullable: true,
    description: "Part of the title or of the contact's name or company, without regard to case and accents.",
  })
  search?: string | null

  @Field(() => ID, { nullable: true, description: 'In this stage.' })
  stageId?: string | null

  @Field(() => ID, { nullable: true, description: 'In this pipeline.' })
  pipelineId?: string | null

  @Field(() => ID, { nullable: true, description: 'From this campaign.' })
  campaignId?: string | null

  @Field(() => ID, { nullable: true, description: 'Owned by this user.' })
  @Example(exampleId('User'))
  ownerUserId?: string | null

  @Field(() => ID, { nullable: true, description: 'Of this sector.' })
  sectorId?: string | null

  @Field(() => ID, { nullable: true, description: 'Linked to this contact.' })
  contactId?: string | null

  @Field(() => Boolean, { nullable: true, description: 'Whether it is active: neither lost nor discarded.' })
  isActive?: boolean | null

  @Field(() => String, {
    nullable: true,
    description: "Part of the contact's company, without regard to case and accents.",
  })
  company?: string | null

  @Field(() => DateBoundScalar, { nullable: true, description: 'Created at this time or later.' })
  createdAfter?: DateBound | null

  @Field(() => DateBoundScalar, { nullable: true, description: 'Created at this time or earlier.' })
  createdBefore?: DateBound | null

  @Field(() => DateBoundScalar, { nullable: true, description: 'Last changed at this time or later.' })
  updatedAfter?: DateBound | null

  @Field(() => DateBoundScalar, { nullable: true, description: 'Last changed at this time or earlier.' })
  updatedBefore?: DateBound | null
}
