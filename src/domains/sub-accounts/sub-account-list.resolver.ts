import type { GraphQLResolveInfo } from 'graphql'
import { Arg, Args, Ctx, Field, ID, Info, ObjectType, Query, Resolver } from 'type-graphql'
import type { Context } from '../../database/index.js'
import { MayFail } from '../../kit/documentation.js'
import { PageArgs } from '../../kit/list-args.js'
import { Pagination } from '../../kit/pagination.js'
import { ReadWith, Requires } from '../../kit/permissions.js'
import { below, selectionOf } from '../../kit/selection.js'
import { SubAccount, SubAccountStatus } from './sub-account.entity.js'
import { findSubAccount, subAccountReads } from './sub-account.reads.js'
import { SubAccountFilter, SubAccountSort } from './sub-account-list.inputs.js'

@ObjectType({ description: 'One page of a list of sub-accounts.', simpleResolvers: true })
@ReadWith('any')
export class SubAccountPage {
  @Field(() => [SubAccount], { description: 'The sub-accounts of the page.' })
  items!: SubAccount[]

  @Field(() => Pagination, { description: 'Where the page stands in the list.' })
  pagination!: Pagination
}

@Resolver()
export class SubAccountListResolver {
  @Query(() => SubAccountPage, {
    description:
      'The sub-accounts of agencies, newest first unless said otherwise; those in use, unless the filter says so. A token ' +
      'sees those of its agency alone.',
  })
  @Requires('agency')
  subAccounts(
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('filter', () => SubAccountFilter, {
      defaultValue: { status: SubAccountStatus.ACTIVE },
      description: 'Which sub-accounts to list.',
    })
    filter: SubAccountFilter,
    @Arg('sort', () => SubAccountSort, { nullable: true, description: 'In which order.' }) sort: SubAccountSort | null,
    @Args(() => PageArgs) paging: PageArgs,
  ): Promise<SubAccountPage> {
    return subAccountReads.list(context, { filter, sort, ...paging }, below(selectionOf(info), 'items'))
  }

  @Query(() => SubAccount, { description: 'A sub-account, be it a deleted one.' })
  @Requires('agency')
  @MayFail('NOT_FOUND')
  subAccount(
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID, { description: 'The id of the sub-account.' }) id: string,
  ): Promise<SubAccount> {
    return findSubAccount(context, id, selectionOf(info))
  }
}
