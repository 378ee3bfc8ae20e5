import type { GraphQLResolveInfo } from 'graphql'
import { Arg, Args, Ctx, Field, ID, Info, ObjectType, Query, Resolver } from 'type-graphql'
import type { Context } from '../../database/index.js'
import { ExampleErrors, MayFail } from '../../kit/documentation.js'
import { PageArgs } from '../../kit/list-args.js'
import { Pagination } from '../../kit/pagination.js'
import { ReadWith, Requires } from '../../kit/permissions.js'
import { below, selectionOf } from '../../kit/selection.js'
import { SortOrder } from '../../kit/sorting.js'
import { AgencyEvent } from './agency-event.entity.js'
import { AgencyEventFilter } from './agency-event.inputs.js'
import { agencyEventReads, findEvent } from './agency-event.reads.js'
import { ERROR_EXAMPLES, PROVISIONING_ERRORS } from './provisioning-errors.service.js'

@ObjectType({ description: "One page of a list of agencies' events.", simpleResolvers: true })
@ReadWith('any')
export class AgencyEventPage {
  @Field(() => [AgencyEvent], { description: 'The events of the page.' })
  items!: AgencyEvent[]

  @Field(() => Pagination, { description: 'Where the page stands in the list.' })
  pagination!: Pagination
}

@Resolver()
export class AgencyEventResolver {
  @Query(() => AgencyEvent, { description: 'How far a call of the agency has come, and how it ended.' })
  @Requires('agency')
  @MayFail(PROVISIONING_ERRORS.EVENT_NOT_FOUND)
  @ExampleErrors(ERROR_EXAMPLES)
  agencyEvent(
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID, { description: 'The id of the event.' }) id: string,
  ): Promise<AgencyEvent> {
    return findEvent(context, id, selectionOf(info))
  }

  @Query(() => AgencyEventPage, {
    description: 'The calls of agencies, newest first unless said otherwise. A token sees those of its agency alone.',
  })
  @Requires('agency')
  agencyEvents(
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('filter', () => AgencyEventFilter, { nullable: true, description: 'Which events to list; all if left out.' })
    filter: AgencyEventFilter | null,
    @Arg('order', () => SortOrder, { nullable: true, description: 'By when the call came, in which direction.' })
    order: SortOrder | null,
    @Args(() => PageArgs) paging: PageArgs,
  ): Promise<AgencyEventPage> {
    return agencyEventReads.list(context, { filter, sort: { order }, ...paging }, below(selectionOf(info), 'items'))
  }
}
