import type { GraphQLResolveInfo } from 'graphql'
import { Arg, Args, Ctx, Field, ID, Info, Mutation, ObjectType, Query, Resolver } from 'type-graphql'
import type { Context } from '../../database/index.js'
import { MayFail } from '../../kit/documentation.js'
import { PageArgs } from '../../kit/list-args.js'
import { ActsOutside } from '../../kit/outside.js'
import { Pagination } from '../../kit/pagination.js'
import { ReadWith, Requires } from '../../kit/permissions.js'
import { below, selectionOf } from '../../kit/selection.js'
import { SortOrder } from '../../kit/sorting.js'
import { AppError } from '../../shared/errors.js'
import { Agency } from './agency.entity.js'
import { AgencyFilter, CreateAgencyInput } from './agency.inputs.js'
import { agencyReads } from './agency.reads.js'
import { changePaymentMethod, createAgency } from './operator-agencies.service.js'

@ObjectType({ description: 'One page of a list of agencies.', simpleResolvers: true })
@ReadWith('any')
export class AgencyPage {
  @Field(() => [Agency], { description: 'The agencies of the page.' })
  items!: Agency[]

  @Field(() => Pagination, { description: 'Where the page stands in the list.' })
  pagination!: Pagination
}

@Resolver()
export class AgencyResolver {
  @Query(() => AgencyPage, {
    description: 'The agencies, newest first unless said otherwise. The token of an agency sees that one alone.',
  })
  @Requires('agency')
  agencies(
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('filter', () => AgencyFilter, { nullable: true, description: 'Which agencies to list; all if left out.' })
    filter: AgencyFilter | null,
    @Arg('order', () => SortOrder, { nullable: true, description: 'By their creation, in which direction.' })
    order: SortOrder | null,
    @Args(() => PageArgs) paging: PageArgs,
  ): Promise<AgencyPage> {
    return agencyReads.list(context, { filter, sort: { order }, ...paging }, below(selectionOf(info), 'items'))
  }

  @Query(() => Agency, { description: 'An agency.' })
  @Requires('agency')
  @MayFail('NOT_FOUND')
  async agency(
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID, { description: 'The id of the agency.' }) id: string,
  ): Promise<Agency> {
    const agency = await agencyReads.find(context, id, selectionOf(info))
    if (!agency) throw new AppError('NOT_FOUND', 'There is no agency with this id.')
    return agency
  }

  @Mutation(() => Agency, { description: 'Creates an agency; its monthly cycles are counted from this moment.' })
  @Requires('agencies:write')
  @ActsOutside()
  createAgency(
    @Ctx() context: Context,
    @Arg('input', () => CreateAgencyInput, { description: 'The new agency.' }) input: CreateAgencyInput,
  ): Promise<Agency> {
    return createAgency(context.asService(), input)
  }

  @Mutation(() => Agency, {
    description: 'Puts a card on file, to which all later charges of the agency go, in place of the one before.',
  })
  @Requires('agencies:write')
  @ActsOutside()
  @MayFail('NOT_FOUND')
  setAgencyPaymentMethod(
    @Ctx() context: Context,
    @Arg('id', () => ID, { description: 'The id of the agency.' }) id: string,
    @Arg('paymentMethod', () => String, { description: 'The card, as the provider of billing calls it.' })
    paymentMethod: string,
  ): Promise<Agency> {
    return changePaymentMethod(context.asService(), id, paymentMethod)
  }
}
