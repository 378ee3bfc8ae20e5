import type { GraphQLResolveInfo } from 'graphql'
import { Arg, Args, Ctx, Field, ID, Info, Mutation, ObjectType, Query, Resolver } from 'type-graphql'
import type { Context } from '../../database/index.js'
import { DeletedRecord } from '../../kit/deleted.js'
import { ExampleErrors, ExampleRecords, exampleId, MayFail } from '../../kit/documentation.js'
import { PageArgs } from '../../kit/list-args.js'
import { Pagination } from '../../kit/pagination.js'
import { ReadWith, Requires } from '../../kit/permissions.js'
import type { PageOf } from '../../kit/reads/index.js'
import { below, selectionOf } from '../../kit/selection.js'
import { notFound } from '../../shared/errors.js'
import { OpportunityHistory } from './history.entity.js'
import { listHistory } from './history.reads.js'
import { Opportunity } from './opportunity.entity.js'
import { CreateOpportunityInput, MoveOpportunityInput, UpdateOpportunityInput } from './opportunity.inputs.js'
import { type OpportunityRow, opportunityReads } from './opportunity.reads.js'
import { deleteOpportunity, discardOpportunity, restoreOpportunity, updateOpportunity } from './opportunity.service.js'
import { createOpportunity } from './opportunity-create.service.js'
import { OpportunityFilter, OpportunitySort } from './opportunity-filter.inputs.js'
import { type Moved, moveOpportunity } from './opportunity-move.service.js'

@ObjectType({ description: 'One page of a list of opportunities.', simpleResolvers: true })
@ReadWith('any')
export class OpportunityPage {
  @Field(() => [Opportunity], { description: 'The opportunities of the page.' })
  items!: Opportunity[]

  @Field(() => Pagination, { description: 'Where the page stands in the list.' })
  pagination!: Pagination
}

@ObjectType({ description: "One page of an opportunity's history.", simpleResolvers: true })
@ReadWith('any')
export class OpportunityHistoryPage {
  @Field(() => [OpportunityHistory], { description: 'The steps of the page.' })
  items!: OpportunityHistory[]

  @Field(() => Pagination, { description: 'Where the page stands in the list.' })
  pagination!: Pagination
}

@ObjectType({ description: 'A stage that an opportunity left or came to.', simpleResolvers: true })
@ReadWith('opportunities:read')
@ExampleRecords({ id: exampleId('Stage'), name: 'Proposal' })
export class StageReference {
  @Field(() => ID, { description: 'The id of the stage.' })
  id!: string

  @Field(() => String, { description: 'The name of the stage.' })
  name!: string
}

@ObjectType({ description: 'From where to where an opportunity moved.', simpleResolvers: true })
@ReadWith('opportunities:read')
@ExampleRecords({ from: { id: exampleId('Stage Qualified'), name: 'Qualified' } })
export class StageChange {
  @Field(() => StageReference, { description: 'The stage that it stood in.' })
  from!: StageReference

  @Field(() => StageReference, { description: 'The stage that it stands in.' })
  to!: StageReference
}

@ObjectType({ description: 'What came of a move.', simpleResolvers: true })
@ReadWith('any')
export class MovedOpportunity {
  @Field(() => Opportunity, { description: 'The opportunity after it.' })
  opportunity!: Opportunity

  @Field(() => StageChange, { description: 'From where to where; the same stage twice when it stood there already.' })
  stageChange!: StageChange
}

@Resolver()
export class OpportunityResolver {
  @Query(() => OpportunityPage, { description: "The account's opportunities, newest first unless sorted otherwise." })
  @Requires('opportunities:read')
  opportunities(
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('filter', () => OpportunityFilter, { nullable: true, description: 'Which to list; all if left out.' })
    filter: OpportunityFilter | null,
    @Arg('sort', () => OpportunitySort, { nullable: true, description: 'The order of the list.' })
    sort: OpportunitySort | null,
    @Args(() => PageArgs) paging: PageArgs,
  ): Promise<PageOf<OpportunityRow>> {
    return opportunityReads.list(context, { filter, sort, ...paging }, below(selectionOf(info), 'items'))
  }

  @Query(() => Opportunity, { nullable: true, description: 'One opportunity; NOT_FOUND where there is none.' })
  @Requires('opportunities:read')
  @MayFail('NOT_FOUND')
  async opportunity(
    @Ctx() { db }: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID, { description: 'The id of the opportunity.' }) id: string,
  ): Promise<OpportunityRow> {
    const opportunity = await opportunityReads.find(db, id, selectionOf(info))
    if (!opportunity) throw notFound('opportunity')
    return opportunity
  }

  @Query(() => OpportunityHistoryPage, { description: 'What happened to an opportunity, newest first.' })
  @Requires('opportunities:read')
  @MayFail('NOT_FOUND')
  opportunityHistory(
    @Ctx() context: Context,
    @Arg('id', () => ID, { description: 'The id of the opportunity.' }) id: string,
    @Args(() => PageArgs) paging: PageArgs,
  ): Promise<PageOf<OpportunityHistory>> {
    return listHistory(context, { opportunityId: id, ...paging })
  }

  @Mutation(() => Opportunity, {
    description:
      'Creates an opportunity with its contact, which is recognised by the email or created too. Of a seller, who owns ' +
      'it then, an email that belongs to a contact they do not see is refused: DUPLICATE_ERROR.',
  })
  @Requires('opportunities:write')
  createOpportunity(
    @Ctx() { db, viewer }: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('input', () => CreateOpportunityInput, { description: 'The new opportunity.' }) input: CreateOpportunityInput,
  ): Promise<OpportunityRow> {
    return createOpportunity(db, viewer.actor, input, selectionOf(info))
  }

  @Mutation(() => Opportunity, { description: 'Changes the given fields of an opportunity and of its contact.' })
  @Requires('opportunities:write')
  @MayFail('NOT_FOUND', 'DUPLICATE_ERROR')
  @ExampleErrors({
    DUPLICATE_ERROR: {
      message: 'A contact with this email exists already.',
      details: [{ field: 'email', message: 'another contact has this email', existing_id: exampleId('Contact 2') }],
    },
  })
  updateOpportunity(
    @Ctx() { db, viewer }: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID, { description: 'The id of the opportunity.' }) id: string,
    @Arg('input', () => UpdateOpportunityInput, { description: 'What to change.' }) input: UpdateOpportunityInput,
  ): Promise<OpportunityRow> {
    return updateOpportunity(db, viewer.actor, id, input, selectionOf(info))
  }

  @Mutation(() => MovedOpportunity, {
    description: 'Moves an opportunity into a stage, with the timestamps that the stage sets.',
  })
  @Requires('opportunities:write')
  @MayFail('NOT_FOUND')
  moveOpportunity(
    @Ctx() { db, viewer }: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID, { description: 'The id of the opportunity.' }) id: string,
    @Arg('input', () => MoveOpportunityInput, { description: 'Where to.' }) input: MoveOpportunityInput,
  ): Promise<Moved> {
    return moveOpportunity(db, viewer.actor, id, input, below(selectionOf(info), 'opportunity'))
  }

  @Mutation(() => Opportunity, {
    description: 'Discards an opportunity for a reason: it counts as lost, wherever it stands.',
  })
  @Requires('opportunities:write')
  @MayFail('NOT_FOUND')
  discardOpportunity(
    @Ctx() { db }: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID, { description: 'The id of the opportunity.' }) id: string,
    @Arg('discardReasonId', () => ID, { description: 'The id of the reason.' }) discardReasonId: string,
  ): Promise<OpportunityRow> {
    return discardOpportunity(db, id, discardReasonId, selectionOf(info))
  }

  @Mutation(() => Opportunity, { description: 'Takes the discard of an opportunity back.' })
  @Requires('opportunities:write')
  @MayFail('NOT_FOUND')
  restoreOpportunity(
    @Ctx() { db }: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID, { description: 'The id of the opportunity.' }) id: string,
  ): Promise<OpportunityRow> {
    return restoreOpportunity(db, id, selectionOf(info))
  }

  @Mutation(() => DeletedRecord, {
    description: 'Deletes an opportunity with its history, products and comments; contact and conversations stay.',
  })
  @Requires('opportunities:delete')
  @MayFail('NOT_FOUND')
  deleteOpportunity(
    @Ctx() { db }: Context,
    @Arg('id', () => ID, { description: 'The id of the opportunity.' }) id: string,
  ): Promise<DeletedRecord> {
    return deleteOpportunity(db, id)
  }
}
