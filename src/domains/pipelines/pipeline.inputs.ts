import { Field, ID, InputType, Int } from 'type-graphql'
import { HexColor, MaxLength, NotNull, RecordId } from '../../kit/constraints.js'
import { Lifecycle } from './pipeline.entity.js'

/** What a new stage and a change of one have in common: all but the name. */
@InputType()
abstract class StageFields {
  @Field(() => String, { nullable: true, description: 'A colour to show the stage in: #rgb or #rrggbb.' })
  @HexColor()
  color?: string | null

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether an opportunity in the stage is won; then it is not a loss stage.',
  })
  @NotNull()
  isWinStage?: boolean

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether an opportunity in the stage is lost; then it is not a win stage.',
  })
  @NotNull()
  isLossStage?: boolean

  @Field(() => Lifecycle, {
    nullable: true,
    description:
      'The timestamp that entering the stage sets. WON goes with win stages and LOST with loss stages alone, and each is ' +
      'what such a stage gets when nothing is said.',
  })
  lifecycle?: Lifecycle | null
}

@InputType({ description: 'A new stage.' })
export class StageInput extends StageFields {
  @Field(() => String, { description: 'The name.' })
  @MaxLength(255)
  name!: string
}

@InputType({ description: 'A new stage of a pipeline that exists.' })
export class CreateStageInput extends StageInput {
  @Field(() => Int, {
    nullable: true,
    description: 'Its place, from 1; those from there on move one further. The last place if left out.',
  })
  @NotNull()
  position?: number
}

@InputType({ description: 'What to change of a stage: a field left out stays, null or "" empties it.' })
export class UpdateStageInput extends StageFields {
  @Field(() => String, { nullable: true, description: 'The name; it cannot be emptied.' })
  @MaxLength(255)
  @NotNull()
  name?: string
}

/** What a new pipeline and a change of one have in common: all but the name. */
@InputType()
abstract class PipelineFields {
  @Field(() => String, { nullable: true, description: 'What the pipeline is for.' })
  @MaxLength(20_000)
  description?: string | null

  @Field(() => String, { nullable: true, description: 'A colour to show the pipeline in: #rgb or #rrggbb.' })
  @HexColor()
  color?: string | null

  @Field(() => String, { nullable: true, description: 'The name of an icon to show the pipeline with.' })
  @MaxLength(64)
  icon?: string | null

  @Field(() => ID, {
    nullable: true,
    description: 'The id of the agent that is activated on the contact of every new opportunity of the pipeline.',
  })
  @RecordId()
  entryAgentId?: string | null

  @Field(() => Boolean, {
    nullable: true,
    description: 'True makes it the default pipeline in the place of the present one; the default one stays active.',
  })
  @NotNull()
  isDefault?: boolean

  @Field(() => Boolean, { nullable: true, description: 'Whether the pipeline is in use.' })
  @NotNull()
  isActive?: boolean

  @Field(() => Int, { nullable: true, description: 'The place in the list of pipelines, smallest first.' })
  @NotNull()
  displayOrder?: number
}

@InputType({ description: 'A new pipeline.' })
export class CreatePipelineInput extends PipelineFields {
  @Field(() => String, { description: 'The name.' })
  @MaxLength(255)
  name!: string

  @Field(() => [StageInput], {
    nullable: true,
    description: 'Its stages in their order, at most 100; New, Contacted, Qualified, Proposal, Won, Lost without any.',
  })
  stages?: StageInput[] | null
}

@InputType({ description: 'What to change of a pipeline: a field left out stays, null or "" empties it.' })
export class UpdatePipelineInput extends PipelineFields {
  @Field(() => String, { nullable: true, description: 'The name; it cannot be emptied.' })
  @MaxLength(255)
  @NotNull()
  name?: string
}
