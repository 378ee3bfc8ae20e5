import { sql } from 'kysely'
import { InputType, ObjectType } from 'type-graphql'
import { param, type Scope, Statement } from '../../database/index.js'
import type { Action, ActionSlot, ActionTarget, GivenIds } from '../../kit/action.js'
import { ReadWith } from '../../kit/permissions.js'
import { AppError } from '../../shared/errors.js'

@InputType({ description: 'What is to happen along with the creation of an opportunity, once that is committed.' })
export class OpportunityActionsInput {}

@ObjectType({
  description: 'What came of the actions that were asked for; those that were not are null.',
  simpleResolvers: true,
})
@ReadWith('any')
export class OpportunityActions {}

const slot: ActionSlot = { input: OpportunityActionsInput, block: OpportunityActions }

/** The contact that an action is done for; NOT_FOUND when it has been erased meanwhile. */
export function contactOf({ contactId }: Pick<ActionTarget, 'contactId'>): string {
  if (!contactId) throw new AppError('NOT_FOUND', 'The contact was deleted meanwhile.')
  return contactId
}

/** NOT_FOUND: the opportunity that an action is done for was deleted before it was done. */
export const opportunityGone = (): AppError => new AppError('NOT_FOUND', 'The opportunity was deleted meanwhile.')

// Shared, so that whoever decides or deletes it waits until what is done for it is committed, and finds it.
const hold = new Statement<Standing>(
  sql<Standing>`select case when discarded_at is not null then 'discarded' when lost_at > created_at then 'lost'
      when won_at > created_at then 'won' end as decided
    from opportunity where account_id = ${param('account')} and id = ${param('opportunityId')} for share`,
  { prepared: true },
)

interface Standing {
  decided: 'won' | 'lost' | 'discarded' | null
}

/**
 * Holds the opportunity that something is done for, after its contact; an AppError where it was deleted or decided since it
 * was created. One that was won from its first moment on is none such: who created it knew.
 */
export async function holdUndecided(db: Scope, opportunityId: string): Promise<void> {
  const [held] = await db.rows(hold, { opportunityId })
  if (!held) throw opportunityGone()
  if (held.decided) throw new AppError('VALIDATION_ERROR', `The opportunity was ${held.decided} meanwhile.`)
}

/** Defines an action that can be asked for with the creation of an opportunity; it stands in a manifest's `actions`. */
export function defineAction<Given extends GivenIds, Block extends object>(
  action: Omit<Action<Given, Block>, 'slot'>,
): Action<Given, Block> {
  return { slot, ...action }
}
