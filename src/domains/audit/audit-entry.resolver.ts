import { Arg, Args, Ctx, Field, ObjectType, Query, Resolver } from 'type-graphql'
import type { Context } from '../../database/index.js'
import { PageArgs } from '../../kit/list-args.js'
import { Pagination } from '../../kit/pagination.js'
import { ReadWith, Requires } from '../../kit/permissions.js'
import { SortOrder } from '../../kit/sorting.js'
import { AuditEntry } from './audit-entry.entity.js'
import { AuditFilter } from './audit-entry.inputs.js'
import { auditReads } from './audit-entry.reads.js'

@ObjectType({ description: 'One page of the audit.', simpleResolvers: true })
@ReadWith('any')
export class AuditPage {
  @Field(() => [AuditEntry], { description: 'The entries of the page.' })
  items!: AuditEntry[]

  @Field(() => Pagination, { description: 'Where the page stands in the list.' })
  pagination!: Pagination
}

@Resolver()
export class AuditResolver {
  @Query(() => AuditPage, {
    description:
      'Who did what in the account, newest first unless said otherwise: sign-ins, keys, users, settings, deletions and ' +
      'copies that were begun. Operators read of agencies, their tokens and other operators.',
  })
  @Requires('audit:read')
  auditEntries(
    @Ctx() context: Context,
    @Arg('filter', () => AuditFilter, { nullable: true, description: 'Which entries to list; all if left out.' })
    filter: AuditFilter | null,
    @Arg('order', () => SortOrder, { nullable: true, description: 'By their time, in which direction.' })
    order: SortOrder | null,
    @Args(() => PageArgs) paging: PageArgs,
  ): Promise<AuditPage> {
    return auditReads.list(context, { filter, sort: { order }, ...paging })
  }
}
