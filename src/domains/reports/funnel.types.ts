import { Field, Float, ID, Int, ObjectType } from 'type-graphql'
import { ExampleRecords, exampleId } from '../../kit/documentation.js'
import { ReadWith } from '../../kit/permissions.js'

@ObjectType({ description: 'What stands in a stage.', simpleResolvers: true })
@ReadWith('reports:read')
@ExampleRecords(
  {
    stageId: exampleId('Stage New'),
    stageName: 'New',
    position: 1,
    isWonStage: false,
    isLossStage: false,
    count: 28,
    value: 61200,
    conversionFromPrevious: null,
  },
  {
    stageId: exampleId('Stage Contacted'),
    stageName: 'Contacted',
    position: 2,
    isWonStage: false,
    isLossStage: false,
    count: 19,
    value: 44850.5,
    conversionFromPrevious: 67.86,
  },
  {
    stageId: exampleId('Stage Qualified'),
    stageName: 'Qualified',
    position: 3,
    isWonStage: false,
    isLossStage: false,
    count: 14,
    value: 31400,
    conversionFromPrevious: 73.68,
  },
  {
    stageId: exampleId('Stage'),
    stageName: 'Proposal',
    position: 4,
    isWonStage: false,
    isLossStage: false,
    count: 12,
    value: 22380.4,
    conversionFromPrevious: 85.71,
  },
  {
    stageId: exampleId('Stage Won'),
    stageName: 'Won',
    position: 5,
    isWonStage: true,
    isLossStage: false,
    count: 9,
    value: 40120,
    conversionFromPrevious: 75,
  },
  {
    stageId: exampleId('Stage Lost'),
    stageName: 'Lost',
    position: 6,
    isWonStage: false,
    isLossStage: true,
    count: 0,
    value: 0,
    conversionFromPrevious: 0,
  },
)
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
@ExampleRecords({ pipelineName: 'Sales', lostCount: 7 })
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
