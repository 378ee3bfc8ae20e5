import type { GraphQLResolveInfo } from 'graphql'
import { Arg, Ctx, Field, Info, Mutation, ObjectType, Resolver } from 'type-graphql'
import type { Context } from '../../database/index.js'
import { ReadWith, Requires } from '../../kit/permissions.js'
import { below, selectionOf } from '../../kit/selection.js'
import { OpportunityActions, OpportunityActionsInput } from './action.types.js'
import type { GivenActions } from './action-asked.service.js'
import { Opportunity } from './opportunity.entity.js'
import { CreateOpportunityInput } from './opportunity.inputs.js'
import { type CreatedWithActions, createWithActions } from './opportunity-create.service.js'

@ObjectType({ description: 'A new opportunity, and what came of the actions.', simpleResolvers: true })
@ReadWith('any')
export class CreatedOpportunity {
  @Field(() => Opportunity, { description: 'The opportunity, as it was created.' })
  opportunity!: Opportunity

  @Field(() => OpportunityActions, { nullable: true, description: 'Null when no action was asked for.' })
  actions!: OpportunityActions | null
}

@Resolver()
export class OpportunityActionsResolver {
  @Mutation(() => CreatedOpportunity, {
    description:
      'Creates an opportunity as createOpportunity does, and then does what else is asked for. An action that fails says ' +
      'so in its own `error`: the opportunity is created all the same. Each has 5 seconds.',
  })
  @Requires('opportunities:write')
  createOpportunityWithActions(
    @Ctx() { db, viewer }: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('input', () => CreateOpportunityInput, { description: 'The new opportunity.' }) input: CreateOpportunityInput,
    @Arg('actions', () => OpportunityActionsInput, { nullable: true, description: 'What is to be done with it.' })
    actions: OpportunityActionsInput | null,
  ): Promise<CreatedWithActions> {
    return createWithActions(db, viewer.actor, input, actions as GivenActions, below(selectionOf(info), 'opportunity'))
  }
}
