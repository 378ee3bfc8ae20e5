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
import { Contact, contactReads } from '../contacts/index.js'
import { enrollByHand, retryEnrollment } from './enroll.service.js'
import { FlowEnrollment } from './enrollment.entity.js'
import { Flow } from './flow.entity.js'
import { FlowEnrollmentFilter, FlowEnrollmentSort } from './flow.inputs.js'
import { type EnrollmentRow, enrollmentReads, type FlowRow, flowReads } from './flow.reads.js'
import { FLOW_ERRORS } from './flow-errors.service.js'
import { FlowStep } from './step.types.js'
import { stopEnrollment } from './stop.service.js'

@ObjectType({ description: 'One page of a list of enrollments.', simpleResolvers: true })
@ReadWith('any')
export class FlowEnrollmentPage {
  @Field(() => [FlowEnrollment], { description: 'The enrollments of the page.' })
  items!: FlowEnrollment[]

  @Field(() => Pagination, { description: 'Where the page stands in the list.' })
  pagination!: Pagination
}

const { WRONG_STATE } = FLOW_ERRORS

@Resolver(() => FlowEnrollment)
export class FlowEnrollmentResolver {
  @Query(() => FlowEnrollmentPage, {
    description: 'Who is, or was, in which flow; newest first unless sorted otherwise.',
  })
  @Requires('flows:read')
  flowEnrollments(
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('filter', () => FlowEnrollmentFilter, {
      nullable: true,
      description: 'Which enrollments to list; all if left out.',
    })
    filter: FlowEnrollmentFilter | null,
    @Arg('sort', () => FlowEnrollmentSort, { nullable: true, description: 'The order of the list.' })
    sort: FlowEnrollmentSort | null,
    @Args(() => PageArgs) paging: PageArgs,
  ): Promise<PageOf<EnrollmentRow>> {
    return enrollmentReads.list(context, { filter, sort, ...paging }, below(selectionOf(info), 'items'))
  }

  @Query(() => FlowEnrollment, {
    nullable: true,
    description: 'One enrollment of the account; NOT_FOUND where there is none.',
  })
  @Requires('flows:read')
  @MayFail('NOT_FOUND')
  async flowEnrollment(
    @Ctx() { db }: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID, { description: 'The id of the enrollment.' }) id: string,
  ): Promise<EnrollmentRow> {
    const enrollment = await enrollmentReads.find(db, id, selectionOf(info))
    if (!enrollment) throw notFound('enrollment')
    return enrollment
  }

  @Mutation(() => FlowEnrollment, {
    description: 'Has a contact begin an active flow. A contact begins each flow once; it must have an email address.',
  })
  @Requires('flows:enroll')
  @MayFail('NOT_FOUND', 'DUPLICATE_ERROR', WRONG_STATE)
  enrollInFlow(
    @Ctx() { db }: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('flowId', () => ID, { description: 'The id of the flow.' }) flowId: string,
    @Arg('contactId', () => ID, { description: 'The id of the contact.' }) contactId: string,
  ): Promise<EnrollmentRow> {
    return enrollByHand(db, { flowId, contactId }, selectionOf(info))
  }

  @Mutation(() => FlowEnrollment, {
    description: 'Takes a contact out of a flow; a mail of it that still waits to be sent does not go.',
  })
  @Requires('flows:enroll')
  @MayFail('NOT_FOUND', WRONG_STATE)
  stopFlowEnrollment(
    @Ctx() { db }: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID, { description: 'The id of the enrollment.' }) id: string,
  ): Promise<EnrollmentRow> {
    return stopEnrollment(db, id, selectionOf(info))
  }

  @Mutation(() => FlowEnrollment, { description: 'Has a step that failed be tried again; the flow goes on after it.' })
  @Requires('flows:enroll')
  @MayFail('NOT_FOUND', WRONG_STATE)
  retryFlowEnrollment(
    @Ctx() { db }: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID, { description: 'The id of the enrollment.' }) id: string,
  ): Promise<EnrollmentRow> {
    return retryEnrollment(db, id, selectionOf(info))
  }

  @FieldResolver(() => [FlowStep], { description: 'The steps of the version that it keeps, in their order.' })
  @ComesAlong()
  steps(@Root() { id }: EnrollmentRow, @Ctx() context: Context): Promise<object[]> {
    return perRequest(context, enrollmentReads.children.steps).load(id)
  }

  @FieldResolver(() => Flow, { description: 'The flow.' })
  flow(@Root() { flowId }: EnrollmentRow, @Ctx() context: Context): Promise<FlowRow | null> {
    return perRequest(context, flowReads.loader).load(flowId!)
  }

  @FieldResolver(() => Contact, { nullable: true, description: 'The contact; null once it is deleted.' })
  contact(@Root() { contactId }: EnrollmentRow, @Ctx() context: Context): Promise<object | null> | null {
    return contactId ? perRequest(context, contactReads.loader).load(contactId) : null
  }
}
