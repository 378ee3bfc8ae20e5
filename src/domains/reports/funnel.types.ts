import { Field, Float, ID, Int, ObjectType } from 'type-graphql'
import { ReadWith } from '../../kit/permissions.js'

@ObjectType({ description: 'What stands in a stage.', simpleResolvers: true })
@ReadWith('reports:read')
export class FunnelStage {
  @Field(() => ID, { description: 'The id of the stage.' })
  stageId!: string

  @Field(() => String, { description: 'The name of the stage.' })
  stageName!: string

  @Field(() => Int, { description: 'The place in the pipeline, from 1.' })
  position!: number

  @Field(() => Boolean, { description: 'Whether an opportunity in this stage is won.' })
  isWonStage!: boolean

  @Field(() => Boolean, { description: 'Whether an opportunity in this stage is lost.' })
  isLossStage!: boolean

  @Field(() => Int, { description: 'How many active opportunities stand in it.' })
  count!: number

  @Field(() => Float, { description: 'What these are worth together, whatever the currencies, exact to the cent.' })
  value!: number

  @Field(() => Float, {
    nullable: true,
    description: 'The count in percent of that of the stage before; null for the first stage and after an empty one.',
  })
  conversionFromPrevious!: number | null
}

@ObjectType({ description: 'What stands in the stages of a pipeline.', simpleResolvers: true })
@ReadWith('reports:read')
export class PipelineFunnel {
  @Field(() => ID, { description: 'The id of the pipeline.' })
  pipelineId!: string

  @Field(() => String, { description: 'The name of the pipeline.' })
  pipelineName!: string

  @Field(() => Int, { description: 'How many of its opportunities are lost or discarded.' })
  lostCount!: number

  @Field(() => [FunnelStage], { description: 'Its stages in their order.' })
  stages!: FunnelStage[]
}
