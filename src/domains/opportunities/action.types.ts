import { InputType, ObjectType } from 'type-graphql'
import type { Action, ActionSlot, GivenIds } from '../../kit/action.js'
import { ReadWith } from '../../kit/permissions.js'

@InputType({ description: 'What is to happen along with the creation of an opportunity, once that is committed.' })
export class OpportunityActionsInput {}

@ObjectType({
  description: 'What came of the actions that were asked for; those that were not are null.',
  simpleResolvers: true,
})
@ReadWith('any')
export class OpportunityActions {}

const slot: ActionSlot = { input: OpportunityActionsInput, block: OpportunityActions }

/** Defines an action that can be asked for with the creation of an opportunity; it stands in a manifest's `actions`. */
export function defineAction<Given extends GivenIds, Block extends object>(
  action: Omit<Action<Given, Block>, 'slot'>,
): Action<Given, Block> {
  return { slot, ...action }
}
