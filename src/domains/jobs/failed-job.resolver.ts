import type { GraphQLResolveInfo } from 'graphql'
import { Arg, Args, Ctx, Field, ID, Info, Mutation, ObjectType, Query, Resolver } from 'type-graphql'
import type { Context } from '../../database/index.js'
import { DeletedRecord } from '../../kit/deleted.js'
import { MayFail } from '../../kit/documentation.js'
import { PageArgs } from '../../kit/list-args.js'
import { Pagination } from '../../kit/pagination.js'
import { ReadWith, Requires } from '../../kit/permissions.js'
import type { PageOf } from '../../kit/reads/index.js'
import { below, selectionOf } from '../../kit/selection.js'
import { FailedJob } from './failed-job.entity.js'
import { type FailedJobRow, failedJobReads } from './failed-job.reads.js'
import { dismissFailedJob, retryFailedJob } from './failed-job.service.js'

@ObjectType({ description: 'One page of a list of failed jobs.', simpleResolvers: true })
@ReadWith('any')
export class FailedJobPage {
  @Field(() => [FailedJob], { description: 'The failed jobs of the page.' })
  items!: FailedJob[]

  @Field(() => Pagination, { description: 'Where the page stands in the list.' })
  pagination!: Pagination
}

@Resolver()
export class FailedJobResolver {
  @Query(() => FailedJobPage, { description: 'Background jobs that failed for good, the last first.' })
  @Requires('settings:write')
  failedJobs(
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => PageArgs) paging: PageArgs,
  ): Promise<PageOf<FailedJobRow>> {
    return failedJobReads.list(context, { filter: {}, ...paging }, below(selectionOf(info), 'items'))
  }

  @Mutation(() => FailedJob, {
    description: 'Has a background job that failed for good be tried anew, and answers what it was.',
  })
  @Requires('settings:write')
  @MayFail('NOT_FOUND')
  retryFailedJob(
    @Ctx() { db }: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID, { description: 'The id of the failed job.' }) id: string,
  ): Promise<FailedJobRow> {
    return retryFailedJob(db, id, selectionOf(info))
  }

  @Mutation(() => DeletedRecord, { description: 'Lets go of a background job that failed for good: it is not done.' })
  @Requires('settings:write')
  @MayFail('NOT_FOUND')
  dismissFailedJob(
    @Ctx() { db }: Context,
    @Arg('id', () => ID, { description: 'The id of the failed job.' }) id: string,
  ): Promise<DeletedRecord> {
    return dismissFailedJob(db, id)
  }
}
