import { Field, ID, InputType, ObjectType } from 'type-graphql'
import { Example, exampleId } from '../../kit/documentation.js'
import { ReadWith } from '../../kit/permissions.js'

@InputType({ description: 'An agent that begins a conversation with the contact of a new opportunity.' })
export class AgentActionInput {
  @Field(() => ID, {
    nullable: true,
    description: "The agent, of type whatsapp; the pipeline's entry agent if left out.",
  })
  agentId?: string | null

  @Field(() => ID, {
    nullable: true,
    description: "The channel account that it sends from; the agent's own if left out, or else the only one.",
  })
  channelAccountId?: string | null
}

@ObjectType({
  description: 'What came of the wish that an agent begins a conversation with the contact of a new opportunity.',
  simpleResolvers: true,
})
@ReadWith('any')
export class AgentActionResult {
  @Example(true)
  @Field(() => Boolean, { description: 'Whether the agent has the conversation.' })
  activated!: boolean

  @Example(exampleId('Conversation'))
  @Field(() => ID, { nullable: true, description: 'The conversation, new or not; null where there is none.' })
  conversationId!: string | null

  @Example(true)
  @Field(() => Boolean, { description: 'Whether the agent is about to write.' })
  workflowStarted!: boolean

  @Example(null)
  @Field(() => String, { nullable: true, description: 'Why it has not begun, in a sentence; null when it has.' })
  error!: string | null
}
