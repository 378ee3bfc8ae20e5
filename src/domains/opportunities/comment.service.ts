import type { EntityManager } from '@mikro-orm/postgresql'
import type { Scope } from '../../database/index.js'
import { tellChange } from '../../kit/changes.js'
import type { DeletedRecord } from '../../kit/deleted.js'
import { notFound } from '../../shared/errors.js'
import { isUuid } from '../../shared/ids.js'
import type { Actor } from '../../shared/viewer.js'
import { OpportunityComment } from './comment.entity.js'
import type { OpportunityCommentInput } from './comment.inputs.js'
import { lockOpportunity } from './opportunity-move.service.js'
import { seesOpportunity } from './opportunity-own.service.js'
import { markOpportunityChanged } from './product-line.service.js'

/** Comments on an opportunity. */
export function addComment(
  db: Scope,
  actor: Actor,
  opportunityId: string,
  { content }: OpportunityCommentInput,
): Promise<OpportunityComment> {
  return db.unitOfWork(async (em) => {
    const locked = await lockOpportunity(db, opportunityId)
    const values = { content, userName: actor.name, opportunityId: locked.id, accountId: db.accountId }
    const comment = em.create(OpportunityComment, values)
    await em.flush()
    await markOpportunityChanged(db, locked)
    return comment
  })
}

/** Changes the text of a comment. */
export function updateComment(
  db: Scope,
  id: string,
  { content }: OpportunityCommentInput,
): Promise<OpportunityComment> {
  return db.unitOfWork(async (em) => {
    const found = await findComment(em, db, id)
    if (found.content === content) return found
    const locked = await lockOpportunity(db, found.opportunityId)
    const changed = await em.nativeUpdate(OpportunityComment, { id, accountId: db.accountId }, { content })
    if (changed === 0) throw notFound('comment') // deleted while this waited for the opportunity
    await markOpportunityChanged(db, locked)
    return { ...found, content }
  })
}

/** Deletes a comment. */
export function deleteComment(db: Scope, id: string): Promise<DeletedRecord> {
  return db.unitOfWork(async (em) => {
    const found = await findComment(em, db, id)
    const locked = await lockOpportunity(db, found.opportunityId)
    const deleted = await em.nativeDelete(OpportunityComment, { id, accountId: db.accountId })
    if (deleted === 0) throw notFound('comment') // deleted while this waited for the opportunity
    await markOpportunityChanged(db, locked)
    await tellChange(db, 'opportunity_comment', found.id, 'deleted')
    return { id: found.id, deleted: true }
  })
}

async function findComment(em: EntityManager, db: Scope, id: string): Promise<OpportunityComment> {
  const comment = isUuid(id) ? await em.findOne(OpportunityComment, { id, accountId: db.accountId }) : null
  if (!comment || !(await seesOpportunity(db, comment.opportunityId))) throw notFound('comment')
  return comment
}
