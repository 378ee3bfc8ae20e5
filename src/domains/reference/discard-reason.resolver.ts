import { Arg, Args, Ctx, Field, ID, Mutation, ObjectType, Query, Resolver } from 'type-graphql'
import type { Context } from '../../database/index.js'
import { DeletedRecord } from '../../kit/deleted.js'
import { MayFail } from '../../kit/documentation.js'
import { ActiveSearchArgs } from '../../kit/list-args.js'
import { Pagination } from '../../kit/pagination.js'
import { ReadWith, Requires } from '../../kit/permissions.js'
import { DiscardReason } from './discard-reason.entity.js'
import { CreateDiscardReasonInput, UpdateDiscardReasonInput } from './discard-reason.inputs.js'
import { discardReasonReads } from './records.reads.js'
import { discardReasonWrites } from './records.service.js'

@ObjectType({ description: 'One page of a list of discard reasons.', simpleResolvers: true })
@ReadWith('any')
export class DiscardReasonPage {
  @Field(() => [DiscardReason], { description: 'The discard reasons of the page.' })
  items!: DiscardReason[]

  @Field(() => Pagination, { description: 'Where the page stands in the list.' })
  pagination!: Pagination
}

@Resolver()
export class DiscardReasonResolver {
  @Query(() => DiscardReasonPage, {
    description: "The account's discard reasons, in their display order, then by name.",
  })
  @Requires('discard_reasons:read')
  discardReasons(
    @Ctx() context: Context,
    @Args(() => ActiveSearchArgs) asked: ActiveSearchArgs,
  ): Promise<DiscardReasonPage> {
    return discardReasonReads.list(context, { ...asked, filter: asked })
  }

  @Mutation(() => DiscardReason, {
    description: 'Creates a discard reason; DUPLICATE_ERROR when another one of the account has its name.',
  })
  @Requires('settings:write')
  @MayFail('DUPLICATE_ERROR')
  createDiscardReason(
    @Ctx() { db }: Context,
    @Arg('input', () => CreateDiscardReasonInput, { description: 'The new discard reason.' })
    input: CreateDiscardReasonInput,
  ): Promise<DiscardReason> {
    return discardReasonWrites.create(db, input)
  }

  @Mutation(() => DiscardReason, { description: 'Changes the given fields of a discard reason.' })
  @Requires('settings:write')
  @MayFail('NOT_FOUND', 'DUPLICATE_ERROR')
  updateDiscardReason(
    @Ctx() { db }: Context,
    @Arg('id', () => ID, { description: 'The id of the discard reason.' }) id: string,
    @Arg('input', () => UpdateDiscardReasonInput, { description: 'What to change.' }) input: UpdateDiscardReasonInput,
  ): Promise<DiscardReason> {
    return discardReasonWrites.update(db, id, input)
  }

  @Mutation(() => DeletedRecord, {
    description: 'Deletes a discard reason: it can be used no longer, but what refers to it still names it.',
  })
  @Requires('settings:write')
  @MayFail('NOT_FOUND')
  deleteDiscardReason(
    @Ctx() { db }: Context,
    @Arg('id', () => ID, { description: 'The id of the discard reason.' }) id: string,
  ): Promise<DeletedRecord> {
    return discardReasonWrites.delete(db, id)
  }
}
