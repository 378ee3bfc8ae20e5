import { Field, ID, InputType } from 'type-graphql'
import { MaxLength, NotNull, RecordId } from '../../kit/constraints.js'
import { ChannelKindName } from '../channels/index.js'
import { AiAgentStatus } from './ai-agent.entity.js'
import { AgentCriterionInput, AgentScriptInput, AgentTemplateInput } from './script.types.js'

/** What a new agent and a change of one have in common. */
@InputType()
abstract class AiAgentFields {
  @Field(() => AiAgentStatus, { nullable: true, description: 'Whether it works.' })
  @NotNull()
  status?: AiAgentStatus

  @Field(() => ID, {
    nullable: true,
    description: 'The id of the channel account that it sends from, unless a call names another.',
  })
  @RecordId()
  channelAccountId?: string | null

  @Field(() => String, { nullable: true, description: 'Who it is and how it talks.' })
  @MaxLength(20_000)
  persona?: string | null

  @Field(() => String, {
    nullable: true,
    description: 'What it says first, with variables such as {{first_name}}; also what its opening template says.',
  })
  @MaxLength(4096)
  opening?: string | null

  @Field(() => AgentTemplateInput, {
    nullable: true,
    description: 'The approved template that opens its conversations.',
  })
  openingTemplate?: AgentTemplateInput | null

  @Field(() => [AgentScriptInput], {
    nullable: true,
    description: 'What it answers to what; the first that fits is taken.',
  })
  @NotNull()
  scripts?: AgentScriptInput[]

  @Field(() => String, { nullable: true, description: 'What it answers where no script fits; nothing if empty.' })
  @MaxLength(4096)
  fallback?: string | null

  @Field(() => [AgentCriterionInput], { nullable: true, description: 'By what it qualifies leads.' })
  @NotNull()
  criteria?: AgentCriterionInput[]
}

@InputType({ description: 'A new agent; it works unless said otherwise.' })
export class CreateAiAgentInput extends AiAgentFields {
  @Field(() => String, { description: 'The name.' })
  @MaxLength(255)
  name!: string

  @Field(() => ChannelKindName, { description: 'What it answers on.' })
  type!: ChannelKindName
}

@InputType({ description: 'What to change of an agent: a field left out stays, null or "" empties it.' })
export class UpdateAiAgentInput extends AiAgentFields {
  @Field(() => String, { nullable: true, description: 'The name; it cannot be emptied.' })
  @MaxLength(255)
  @NotNull()
  name?: string
}

@InputType({ description: 'A new article.' })
export class CreateKnowledgeArticleInput {
  @Field(() => ID, { description: 'The id of the agent that is to know it.' })
  @RecordId()
  aiAgentId!: string

  @Field(() => String, { description: 'The title.' })
  @MaxLength(255)
  name!: string

  @Field(() => String, { description: 'The text.' })
  @MaxLength(20_000)
  content!: string
}

@InputType({ description: 'What to change of an article: a field left out stays.' })
export class UpdateKnowledgeArticleInput {
  @Field(() => String, { nullable: true, description: 'The title; it cannot be emptied.' })
  @MaxLength(255)
  @NotNull()
  name?: string

  @Field(() => String, { nullable: true, description: 'The text; it cannot be emptied.' })
  @MaxLength(20_000)
  @NotNull()
  content?: string
}
