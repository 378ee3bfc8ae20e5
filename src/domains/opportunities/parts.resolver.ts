import type { GraphQLResolveInfo } from 'graphql'
import { Arg, Ctx, ID, Info, Mutation, Resolver } from 'type-graphql'
import type { Context } from '../../database/index.js'
import { DeletedRecord } from '../../kit/deleted.js'
import { MayFail } from '../../kit/documentation.js'
import { Requires } from '../../kit/permissions.js'
import { selectionOf } from '../../kit/selection.js'
import { addComment, deleteComment, updateComment } from './comments.service.js'
import { Opportunity } from './opportunity.entity.js'
import type { OpportunityRow } from './opportunity.reads.js'
import { OpportunityComment } from './parts.entity.js'
import { AddOpportunityProductInput, OpportunityCommentInput, UpdateOpportunityProductInput } from './parts.inputs.js'
import { addProduct, removeProduct, updateProduct } from './products.service.js'

/** What belongs to an opportunity: products and comments. */
@Resolver()
export class OpportunityPartsResolver {
  @Mutation(() => Opportunity, {
    description: 'Adds a product to an opportunity, whose value is the sum of its products from then on.',
  })
  @Requires('opportunities:write')
  @MayFail('NOT_FOUND')
  addOpportunityProduct(
    @Ctx() { db, viewer }: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID, { description: 'The id of the opportunity.' }) id: string,
    @Arg('input', () => AddOpportunityProductInput, { description: 'The product.' }) input: AddOpportunityProductInput,
  ): Promise<OpportunityRow> {
    return addProduct(db, viewer.actor, id, input, selectionOf(info))
  }

  @Mutation(() => Opportunity, { description: 'Changes a product of an opportunity, and the value with it.' })
  @Requires('opportunities:write')
  @MayFail('NOT_FOUND')
  updateOpportunityProduct(
    @Ctx() { db, viewer }: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('lineId', () => ID, { description: 'The id under which the opportunity has the product.' }) lineId: string,
    @Arg('input', () => UpdateOpportunityProductInput, { description: 'What to change.' })
    input: UpdateOpportunityProductInput,
  ): Promise<OpportunityRow> {
    return updateProduct(db, viewer.actor, lineId, input, selectionOf(info))
  }

  @Mutation(() => Opportunity, {
    description: 'Takes a product off an opportunity; without any left, its value is 0 until it is set.',
  })
  @Requires('opportunities:write')
  @MayFail('NOT_FOUND')
  removeOpportunityProduct(
    @Ctx() { db, viewer }: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('lineId', () => ID, { description: 'The id under which the opportunity has the product.' }) lineId: string,
  ): Promise<OpportunityRow> {
    return removeProduct(db, viewer.actor, lineId, selectionOf(info))
  }

  @Mutation(() => OpportunityComment, { description: 'Comments on an opportunity.' })
  @Requires('opportunities:write')
  @MayFail('NOT_FOUND')
  addOpportunityComment(
    @Ctx() { db, viewer }: Context,
    @Arg('id', () => ID, { description: 'The id of the opportunity.' }) id: string,
    @Arg('input', () => OpportunityCommentInput, { description: 'The comment.' }) input: OpportunityCommentInput,
  ): Promise<OpportunityComment> {
    return addComment(db, viewer.actor, id, input)
  }

  @Mutation(() => OpportunityComment, { description: 'Changes the text of a comment.' })
  @Requires('opportunities:write')
  @MayFail('NOT_FOUND')
  updateOpportunityComment(
    @Ctx() { db }: Context,
    @Arg('commentId', () => ID, { description: 'The id of the comment.' }) commentId: string,
    @Arg('input', () => OpportunityCommentInput, { description: 'The new text.' }) input: OpportunityCommentInput,
  ): Promise<OpportunityComment> {
    return updateComment(db, commentId, input)
  }

  @Mutation(() => DeletedRecord, { description: 'Deletes a comment.' })
  @Requires('opportunities:write')
  @MayFail('NOT_FOUND')
  deleteOpportunityComment(
    @Ctx() { db }: Context,
    @Arg('commentId', () => ID, { description: 'The id of the comment.' }) commentId: string,
  ): Promise<DeletedRecord> {
    return deleteComment(db, commentId)
  }
}
