import type { GraphQLResolveInfo } from 'graphql'
import { Arg, Args, Ctx, Field, ID, Info, ObjectType, Query, Resolver } from 'type-graphql'
import type { Context } from '../../database/index.js'
import { MayFail } from '../../kit/documentation.js'
import { PageArgs } from '../../kit/list-args.js'
import { Pagination } from '../../kit/pagination.js'
import { ReadWith, Requires } from '../../kit/permissions.js'
import { below, selectionOf } from '../../kit/selection.js'
import { SortOrder } from '../../kit/sorting.js'
import { LedgerEntry } from './ledger.entity.js'
import { LedgerFilter } from './ledger.inputs.js'
import { ledgerReads } from './ledger.reads.js'
import { billingOf } from './standing.reads.js'
import { AgencyBilling } from './standing.types.js'

@ObjectType({ description: 'One page of a ledger.', simpleResolvers: true })
@ReadWith('any')
export class LedgerPage {
  @Field(() => [LedgerEntry], { description: 'The lines of the page.' })
  items!: LedgerEntry[]

  @Field(() => Pagination, { description: 'Where the page stands in the list.' })
  pagination!: Pagination
}

@Resolver()
export class BillingResolver {
  @Query(() => LedgerPage, {
    description:
      'The ledgers of agencies, newest lines first unless said otherwise. A token sees that of its agency alone.',
  })
  @Requires('agency')
  ledgerEntries(
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('filter', () => LedgerFilter, { nullable: true, description: 'Which lines to list; all if left out.' })
    filter: LedgerFilter | null,
    @Arg('order', () => SortOrder, { nullable: true, description: 'By their time, in which direction.' })
    order: SortOrder | null,
    @Args(() => PageArgs) paging: PageArgs,
  ): Promise<LedgerPage> {
    return ledgerReads.list(context, { filter, sort: { order }, ...paging }, below(selectionOf(info), 'items'))
  }

  @Query(() => AgencyBilling, {
    description: 'How an agency stands with what it pays. A token asks for its own agency.',
  })
  @Requires('agency')
  @MayFail('NOT_FOUND')
  agencyBilling(
    @Ctx() context: Context,
    @Arg('agencyId', () => ID, { description: 'The id of the agency.' }) agencyId: string,
  ): Promise<AgencyBilling> {
    return billingOf(context, agencyId)
  }
}
