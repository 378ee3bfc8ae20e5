import { Field, ID, InputType } from 'type-graphql'
import { NotNull, RecordId } from '../../kit/constraints.js'

@InputType({ description: 'Whose new opportunities a rule gives away: of one sector, of one pipeline, or all others.' })
export class RoundRobinTarget {
  @Field(() => ID, { nullable: true, description: 'The id of a sector; not together with a pipeline.' })
  @RecordId()
  sectorId?: string | null

  @Field(() => ID, { nullable: true, description: 'The id of a pipeline; not together with a sector.' })
  @RecordId()
  pipelineId?: string | null
}

@InputType({ description: 'A rule as it is to be, in the place of the one that its target may have.' })
export class RoundRobinRuleInput {
  @Field(() => RoundRobinTarget, { nullable: true, description: 'What the rule is for; the account if left out.' })
  target?: RoundRobinTarget | null

  @Field(() => Boolean, { nullable: true, description: 'Whether the rule is on, which it is if left out.' })
  @NotNull()
  isActive?: boolean

  @Field(() => [ID], {
    description: 'Ids of active users, each once and at most 200, in the order in which they take turns.',
  })
  @RecordId()
  userIds!: string[]
}
