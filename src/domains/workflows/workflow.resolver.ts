import { Arg, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql'
import { type Context, perRequest } from '../../database/index.js'
import { MayFail } from '../../kit/documentation.js'
import { Requires } from '../../kit/permissions.js'
import { Conversation } from '../conversations/index.js'
import { AgentRun } from './agent-run.entity.js'
import { agentRunsLoader } from './agent-run.loaders.js'
import { UpdateAiBudgetInput } from './budget.inputs.js'
import { budgetOf, type Standing } from './budget.service.js'
import { AiBudget } from './budget.types.js'
import { BUDGET_ERRORS, updateAiBudget } from './own-budget.service.js'

/** Shows what agents do, and what it takes. */
@Resolver(() => Conversation)
export class WorkflowResolver {
  @FieldResolver(() => [AgentRun], {
    description: 'What its agent did last, or is about to, the newest first; 20 at most.',
  })
  agentRuns(@Root() { id }: Conversation, @Ctx() context: Context): Promise<AgentRun[]> {
    return perRequest(context, agentRunsLoader).load(id)
  }

  @Query(() => AiBudget, {
    nullable: true,
    description: 'What the account may use of the language model today; null where agents have none.',
  })
  @Requires('agents:read')
  aiBudget(@Ctx() { db }: Context): Promise<Standing | null> {
    return budgetOf(db)
  }

  @Mutation(() => AiBudget, {
    description:
      'Sets what the agents of the account may use of the language model in a day, from now on and today too. A question ' +
      'that is being asked is answered still; what was used stays used.',
  })
  @Requires('settings:write')
  @MayFail(BUDGET_ERRORS.NO_LANGUAGE_MODEL)
  updateAiBudget(
    @Ctx() { db }: Context,
    @Arg('input', () => UpdateAiBudgetInput, { description: 'What to change.' }) input: UpdateAiBudgetInput,
  ): Promise<Standing> {
    return updateAiBudget(db, input)
  }
}
