import { Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql'
import { type Context, perRequest } from '../../database/index.js'
import { Requires } from '../../kit/permissions.js'
import { Conversation } from '../conversations/index.js'
import { AgentRun } from './agent-run.entity.js'
import { agentRunsLoader } from './agent-run.loaders.js'
import { budgetOf, type Standing } from './budget.service.js'
import { AiBudget } from './budget.types.js'

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
}
