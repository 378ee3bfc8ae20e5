import { Arg, Ctx, ID, Mutation, Resolver } from 'type-graphql'
import type { Context } from '../../database/index.js'
import { MayFail } from '../../kit/documentation.js'
import { ActsOutside } from '../../kit/outside.js'
import { Requires } from '../../kit/permissions.js'
import { ChatInput } from './chat.inputs.js'
import { chat } from './chat.service.js'
import { ChatAnswer } from './chat.types.js'
import { AI_ERRORS } from './try-out.service.js'

/** Tries agents out. */
@Resolver()
export class ChatResolver {
  @Mutation(() => ChatAnswer, {
    description:
      'Has an agent, be it paused, answer in a sandbox: nothing is sent, and nothing kept but what it took of the ' +
      "account's budget. It may take a minute.",
  })
  @Requires('agents:run')
  @ActsOutside()
  @MayFail('NOT_FOUND', AI_ERRORS.AGENT_UNAVAILABLE)
  chatWithAiAgent(
    @Ctx() { db }: Context,
    @Arg('id', () => ID, { description: 'The id of the agent.' }) id: string,
    @Arg('input', () => ChatInput, { description: 'What was said so far.' }) input: ChatInput,
  ): Promise<ChatAnswer> {
    return chat(db, id, input)
  }
}
