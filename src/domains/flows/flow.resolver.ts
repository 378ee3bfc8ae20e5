import type { GraphQLResolveInfo } from 'graphql'
import {
  Arg,
  Args,
  Ctx,
  Field,
  FieldResolver,
  ID,
  Info,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql'
import { type Context, perRequest } from '../../database/index.js'
import { ComesAlong } from '../../kit/comes-along.js'
import { MayFail } from '../../kit/documentation.js'
import { PageArgs } from '../../kit/list-args.js'
import { Pagination } from '../../kit/pagination.js'
import { ReadWith, Requires } from '../../kit/permissions.js'
import type { PageOf } from '../../kit/reads/index.js'
import { below, selectionOf } from '../../kit/selection.js'
import { notFound } from '../../shared/errors.js'
import { Flow } from './flow.entity.js'
import { CreateFlowInput, FlowFilter, FlowSort, UpdateFlowInput } from './flow.inputs.js'
import { type FlowRow, flowReads } from './flow.reads.js'
import { activateFlow, archiveFlow, createFlow, pauseFlow, resumeFlow, updateFlow } from './flow.service.js'
import { FLOW_ERRORS } from './flow-errors.service.js'
import { FlowCounts, FlowSendWindow, FlowStep } from './step.types.js'

@ObjectType({ description: 'One page of a list of flows.', simpleResolvers: true })
@ReadWith('any')
export class FlowPage {
  @Field(() => [Flow], { description: 'The flows of the page.' })
  items!: Flow[]

  @Field(() => Pagination, { description: 'Where the page stands in the list.' })
  pagination!: Pagination
}

const { WRONG_STATE } = FLOW_ERRORS

@Resolver(() => Flow)
export class FlowResolver {
  @Query(() => FlowPage, { description: "The account's flows, newest first unless sorted otherwise." })
  @Requires('flows:read')
  flows(
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('filter', () => FlowFilter, { nullable: true, description: 'Which flows to list; all if left out.' })
    filter: FlowFilter | null,
    @Arg('sort', () => FlowSort, { nullable: true, description: 'The order of the list.' }) sort: FlowSort | null,
    @Args(() => PageArgs) paging: PageArgs,
  ): Promise<PageOf<FlowRow>> {
    return flowReads.list(context, { filter, sort, ...paging }, below(selectionOf(info), 'items'))
  }

  @Query(() => Flow, { nullable: true, description: 'One flow of the account; NOT_FOUND where there is none.' })
  @Requires('flows:read')
  @MayFail('NOT_FOUND')
  async flow(
    @Ctx() { db }: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID, { description: 'The id of the flow.' }) id: string,
  ): Promise<FlowRow> {
    const flow = await flowReads.find(db, id, selectionOf(info))
    if (!flow) throw notFound('flow')
    return flow
  }

  @Mutation(() => Flow, { description: 'Creates a flow, as a draft that takes nobody yet.' })
  @Requires('flows:write')
  createFlow(
    @Ctx() { db }: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('input', () => CreateFlowInput, { description: 'The new flow.' }) input: CreateFlowInput,
  ): Promise<FlowRow> {
    return createFlow(db, input, selectionOf(info))
  }

  @Mutation(() => Flow, {
    description: 'Changes the given fields of a flow. Who is in it goes on with the steps and hours they began with.',
  })
  @Requires('flows:write')
  @MayFail('NOT_FOUND', WRONG_STATE)
  updateFlow(
    @Ctx() { db }: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID, { description: 'The id of the flow.' }) id: string,
    @Arg('input', () => UpdateFlowInput, { description: 'What to change.' }) input: UpdateFlowInput,
  ): Promise<FlowRow> {
    return updateFlow(db, id, input, selectionOf(info))
  }

  @Mutation(() => Flow, { description: 'Lets a draft take contacts. All that its steps name must be there.' })
  @Requires('flows:write')
  @MayFail('NOT_FOUND', WRONG_STATE)
  activateFlow(
    @Ctx() { db }: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID, { description: 'The id of the flow.' }) id: string,
  ): Promise<FlowRow> {
    return activateFlow(db, id, selectionOf(info))
  }

  @Mutation(() => Flow, {
    description: 'Pauses a flow: it takes nobody, and none of its steps happens until it is resumed.',
  })
  @Requires('flows:write')
  @MayFail('NOT_FOUND', WRONG_STATE)
  pauseFlow(
    @Ctx() { db }: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID, { description: 'The id of the flow.' }) id: string,
  ): Promise<FlowRow> {
    return pauseFlow(db, id, selectionOf(info))
  }

  @Mutation(() => Flow, { description: 'Has a paused flow go on; steps that fell due meanwhile are due now.' })
  @Requires('flows:write')
  @MayFail('NOT_FOUND', WRONG_STATE)
  resumeFlow(
    @Ctx() { db }: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID, { description: 'The id of the flow.' }) id: string,
  ): Promise<FlowRow> {
    return resumeFlow(db, id, selectionOf(info))
  }

  @Mutation(() => Flow, { description: 'Ends a flow for good, and the enrollments of all who are in it.' })
  @Requires('flows:write')
  @MayFail('NOT_FOUND', WRONG_STATE)
  archiveFlow(
    @Ctx() { db }: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID, { description: 'The id of the flow.' }) id: string,
  ): Promise<FlowRow> {
    return archiveFlow(db, id, selectionOf(info))
  }

  @FieldResolver(() => [FlowStep], { description: 'The steps of its present version, in their order.' })
  @ComesAlong()
  steps(@Root() { id }: FlowRow, @Ctx() context: Context): Promise<object[]> {
    return perRequest(context, flowReads.children.steps).load(id)
  }

  @FieldResolver(() => FlowSendWindow, {
    nullable: true,
    description: 'When its mails may go out; null for at any time.',
  })
  @ComesAlong()
  sendWindow(@Root() { id }: FlowRow, @Ctx() context: Context): Promise<FlowSendWindow | null> {
    return perRequest(context, flowReads.children.sendWindow).load(id)
  }

  @FieldResolver(() => FlowCounts, { description: 'How many contacts it has, and how they fare.' })
  @ComesAlong()
  counts(@Root() { id }: FlowRow, @Ctx() context: Context): Promise<FlowCounts> {
    return perRequest(context, flowReads.children.counts).load(id)
  }
}
