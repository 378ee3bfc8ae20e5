import { Arg, Ctx, ID, Mutation, Resolver } from 'type-graphql'
import type { Context } from '../../database/index.js'
import { DeletedRecord } from '../../kit/deleted.js'
import { MayFail } from '../../kit/documentation.js'
import { Requires } from '../../kit/permissions.js'
import { OpportunityComment } from './comment.entity.js'
import { OpportunityCommentInput } from './comment.inputs.js'
import { addComment, deleteComment, updateComment } from './comment.service.js'

/** The comments on an opportunity. */
@Resolver()
export class CommentResolver {
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
