import type { GraphQLResolveInfo } from 'graphql'
import { Arg, Ctx, FieldResolver, ID, Info, Mutation, Query, Resolver, Root } from 'type-graphql'
import { type Context, perRequest } from '../../database/index.js'
import { ComesAlong } from '../../kit/comes-along.js'
import { DeletedRecord } from '../../kit/deleted.js'
import { MayFail } from '../../kit/documentation.js'
import { Requires } from '../../kit/permissions.js'
import { selectionOf } from '../../kit/selection.js'
import { notFound } from '../../shared/errors.js'
import { Pipeline, Stage } from './pipeline.entity.js'
import { CreatePipelineInput, UpdatePipelineInput } from './pipeline.inputs.js'
import { listPipelines, type PipelineRow, pipelineReads, type StageRow } from './pipeline.reads.js'
import { createPipeline, deletePipeline, reorderPipelines, updatePipeline } from './pipeline.service.js'

@Resolver(() => Pipeline)
export class PipelineResolver {
  @Query(() => [Pipeline], { description: "The account's pipelines, by their place and then their name." })
  @Requires('pipelines:read')
  pipelines(@Ctx() { db }: Context, @Info() info: GraphQLResolveInfo): Promise<PipelineRow[]> {
    return listPipelines(db, selectionOf(info))
  }

  @Query(() => Pipeline, { nullable: true, description: 'One pipeline of the account; NOT_FOUND where there is none.' })
  @Requires('pipelines:read')
  @MayFail('NOT_FOUND')
  async pipeline(
    @Ctx() { db }: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID, { description: 'The id of the pipeline.' }) id: string,
  ): Promise<PipelineRow> {
    const pipeline = await pipelineReads.find(db, id, selectionOf(info))
    if (!pipeline) throw notFound('pipeline')
    return pipeline
  }

  @Mutation(() => Pipeline, { description: 'Creates a pipeline with its stages; an account has at most 100.' })
  @Requires('settings:write')
  createPipeline(
    @Ctx() { db }: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('input', () => CreatePipelineInput, { description: 'The new pipeline.' }) input: CreatePipelineInput,
  ): Promise<PipelineRow> {
    return createPipeline(db, input, selectionOf(info))
  }

  @Mutation(() => Pipeline, { description: 'Changes the given fields of a pipeline.' })
  @Requires('settings:write')
  @MayFail('NOT_FOUND')
  updatePipeline(
    @Ctx() { db }: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID, { description: 'The id of the pipeline.' }) id: string,
    @Arg('input', () => UpdatePipelineInput, { description: 'What to change.' }) input: UpdatePipelineInput,
  ): Promise<PipelineRow> {
    return updatePipeline(db, id, input, selectionOf(info))
  }

  @Mutation(() => DeletedRecord, {
    description:
      'Deletes a pipeline with its stages, but not the default one; RECORD_IN_USE while opportunities stand in it.',
  })
  @Requires('settings:write')
  @MayFail('NOT_FOUND', 'RECORD_IN_USE')
  deletePipeline(
    @Ctx() { db }: Context,
    @Arg('id', () => ID, { description: 'The id of the pipeline.' }) id: string,
  ): Promise<DeletedRecord> {
    return deletePipeline(db, id)
  }

  @Mutation(() => [Pipeline], { description: 'Puts the pipelines into an order, and returns them in it.' })
  @Requires('settings:write')
  reorderPipelines(
    @Ctx() { db }: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('ids', () => [ID], { description: 'The ids of all pipelines of the account, each once.' }) ids: string[],
  ): Promise<PipelineRow[]> {
    return reorderPipelines(db, ids, selectionOf(info))
  }

  @FieldResolver(() => [Stage], { description: 'The stages in their order.' })
  @ComesAlong()
  stages(@Root() { id }: PipelineRow, @Ctx() context: Context): Promise<StageRow[]> {
    return perRequest(context, pipelineReads.children.stages).load(id)
  }
}
