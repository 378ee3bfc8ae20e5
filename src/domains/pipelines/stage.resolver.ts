import type { GraphQLResolveInfo } from 'graphql'
import { Arg, Ctx, ID, Info, Mutation, Resolver } from 'type-graphql'
import type { Context } from '../../database/index.js'
import { DeletedRecord } from '../../kit/deleted.js'
import { MayFail } from '../../kit/documentation.js'
import { Requires } from '../../kit/permissions.js'
import { selectionOf } from '../../kit/selection.js'
import { Pipeline, Stage } from './pipeline.entity.js'
import { CreateStageInput, UpdateStageInput } from './pipeline.inputs.js'
import type { PipelineRow, StageRow } from './pipeline.reads.js'
import { createStage, deleteStage, reorderStages, updateStage } from './stage.service.js'

/** The stages of pipelines that exist. */
@Resolver()
export class StageResolver {
  @Mutation(() => Stage, { description: 'Adds a stage to a pipeline, which has at most 100.' })
  @Requires('settings:write')
  @MayFail('NOT_FOUND')
  createStage(
    @Ctx() { db }: Context,
    @Arg('pipelineId', () => ID, { description: 'The id of the pipeline.' }) pipelineId: string,
    @Arg('input', () => CreateStageInput, { description: 'The new stage.' }) input: CreateStageInput,
  ): Promise<StageRow> {
    return createStage(db, pipelineId, input)
  }

  @Mutation(() => Stage, { description: 'Changes the given fields of a stage.' })
  @Requires('settings:write')
  @MayFail('NOT_FOUND')
  updateStage(
    @Ctx() { db }: Context,
    @Arg('id', () => ID, { description: 'The id of the stage.' }) id: string,
    @Arg('input', () => UpdateStageInput, { description: 'What to change.' }) input: UpdateStageInput,
  ): Promise<StageRow> {
    return updateStage(db, id, input)
  }

  @Mutation(() => DeletedRecord, {
    description: 'Deletes a stage, but not the only one; RECORD_IN_USE while opportunities stand in it.',
  })
  @Requires('settings:write')
  @MayFail('NOT_FOUND', 'RECORD_IN_USE')
  deleteStage(
    @Ctx() { db }: Context,
    @Arg('id', () => ID, { description: 'The id of the stage.' }) id: string,
  ): Promise<DeletedRecord> {
    return deleteStage(db, id)
  }

  @Mutation(() => Pipeline, { description: 'Puts the stages of a pipeline into an order.' })
  @Requires('settings:write')
  @MayFail('NOT_FOUND')
  reorderStages(
    @Ctx() { db }: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('pipelineId', () => ID, { description: 'The id of the pipeline.' }) pipelineId: string,
    @Arg('stageIds', () => [ID], { description: 'The ids of all its stages, each once.' }) stageIds: string[],
  ): Promise<PipelineRow> {
    return reorderStages(db, pipelineId, stageIds, selectionOf(info))
  }
}
