import { Arg, Ctx, FieldResolver, ID, Mutation, Resolver, Root } from 'type-graphql'
import { type Context, perRequest } from '../../database/index.js'
import { Example, MayFail } from '../../kit/documentation.js'
import { Requires } from '../../kit/permissions.js'
import { AiAgent } from '../agents/index.js'
import { errandsLoader } from './errand.loaders.js'
import { tellAgent } from './errand.service.js'
import { AiAgentActionDone, Errand, RunAiAgentActionInput } from './errand.types.js'
import { ERRAND_ERRORS } from './errand-errors.service.js'

const { AGENT_PAUSED, ACTION_NOT_AVAILABLE, ACTION_NOT_POSSIBLE } = ERRAND_ERRORS

/** Tells agents what to do, and which of it they can. */
@Resolver(() => AiAgent)
export class ErrandResolver {
  @Example(['begin_conversation', 'answer', 'hand_over'])
  @FieldResolver(() => [Errand], { description: 'What it can be told to do with a contact, unless it is paused.' })
  actions(@Root() { id }: AiAgent, @Ctx() context: Context): Promise<Errand[]> {
    return perRequest(context, errandsLoader).load(id)
  }

  @Mutation(() => AiAgentActionDone, {
    description:
      'Has an agent do something with a contact: what it says is sent right after. It is written down who had it done.',
  })
  @Requires('agent_tools:execute')
  @MayFail('NOT_FOUND', AGENT_PAUSED, ACTION_NOT_AVAILABLE, ACTION_NOT_POSSIBLE)
  runAiAgentAction(
    @Ctx() { db }: Context,
    @Arg('id', () => ID, { description: 'The id of the agent.' }) id: string,
    @Arg('input', () => RunAiAgentActionInput, { description: 'What it is to do.' }) input: RunAiAgentActionInput,
  ): Promise<AiAgentActionDone> {
    return tellAgent(db, id, input)
  }
}
