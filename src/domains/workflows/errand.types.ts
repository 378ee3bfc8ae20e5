import { Field, ID, InputType, ObjectType, registerEnumType } from 'type-graphql'
import { MaxLength, RecordId } from '../../kit/constraints.js'
import { Example, exampleId } from '../../kit/documentation.js'
import { ReadWith } from '../../kit/permissions.js'

/** What an agent can be told to do with a contact. */
export enum Errand {
  BEGIN_CONVERSATION = 'begin_conversation',
  ANSWER = 'answer',
  HAND_OVER = 'hand_over',
}
registerEnumType(Errand, {
  name: 'AiAgentAction',
  description: 'What an AI employee can be told to do with a contact.',
  valuesConfig: {
    BEGIN_CONVERSATION: {
      description: 'It writes to the contact first, with its opening; it must be of type whatsapp and have one.',
    },
    ANSWER: {
      description:
        'It answers what the contact has written last, and qualifies them anew; it must have something to answer with.',
    },
    HAND_OVER: { description: 'It leaves its conversation with the contact to people, and writes no more in it.' },
  },
})

@InputType({ description: 'What an AI employee is to do, and with whom.' })
export class RunAiAgentActionInput {
  @Field(() => Errand, { description: 'What it is to do: one of the actions that it has.' })
  @Example('begin_conversation')
  action!: Errand

  @Field(() => ID, { description: 'The id of the contact.' })
  @Example(exampleId('Contact'))
  @RecordId()
  contactId!: string

  @Field(() => ID, {
    nullable: true,
    description:
      "What it begins a conversation from: the id of a channel account; the agent's own if left out, or else the only one.",
  })
  @RecordId()
  channelAccountId?: string | null

  @Field(() => String, {
    nullable: true,
    description: 'Why people are to have the conversation, for whoever takes it.',
  })
  @Example(null)
  @MaxLength(1000)
  reason?: string | null
}

@ObjectType({ description: 'What an AI employee was told to do, and where.', simpleResolvers: true })
@ReadWith('agent_tools:execute')
export class AiAgentActionDone {
  @Example('begin_conversation')
  @Field(() => Errand, { description: 'What it was told to do.' })
  action!: Errand

  @Example(exampleId('AiAgent'))
  @Field(() => ID, { description: 'The id of the agent.' })
  aiAgentId!: string

  @Example(exampleId('Contact'))
  @Field(() => ID, { description: 'The id of the contact.' })
  contactId!: string

  @Example(exampleId('Conversation'))
  @Field(() => ID, {
    description:
      'The id of the conversation that it is done in, which shows what comes of it: what is said is sent right after.',
  })
  conversationId!: string
}
