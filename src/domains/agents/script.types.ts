import { Field, InputType, Int, ObjectType } from 'type-graphql'
import { Between, MaxLength } from '../../kit/constraints.js'
import { Example } from '../../kit/documentation.js'
import { ReadWith } from '../../kit/permissions.js'

@ObjectType({
  description: 'What an agent answers to a message in which one of the keywords stands.',
  simpleResolvers: true,
})
@ReadWith('agents:read')
export class AgentScript {
  @Field(() => [String], { description: 'Words, or several in a row, without regard to case and accents.' })
  @Example(['price', 'how much'])
  keywords!: string[]

  @Field(() => String, { description: 'The answer, with variables such as {{first_name}}.' })
  @Example('It depends on your roof, {{first_name}}.')
  reply!: string
}

@ObjectType({
  description:
    'What counts for a lead in whose messages one of the keywords stands, or, with less than 0 points, against it.',
  simpleResolvers: true,
})
@ReadWith('agents:read')
export class AgentCriterion {
  @Field(() => String, { description: 'What it is called among the reasons, or the objections.' })
  @Example('Has a budget')
  name!: string

  @Field(() => [String], { description: 'Words, or several in a row, without regard to case and accents.' })
  @Example(['budget'])
  keywords!: string[]

  @Field(() => Int, { description: 'Points, from -100 to 100; a lead has from 0 to 100 in all.' })
  @Example(40)
  points!: number
}

@ObjectType({ description: 'The approved template that opens conversations.', simpleResolvers: true })
@ReadWith('agents:read')
export class AgentTemplate {
  @Field(() => String, { description: 'Its name at the provider.' })
  @Example('first_contact')
  name!: string

  @Field(() => String, { description: 'Its language, as the provider names it, such as pt_BR.' })
  @Example('pt_BR')
  language!: string

  @Field(() => [String], { description: 'The values of its parameters in their order, with variables.' })
  @Example(['{{first_name}}'])
  parameters!: string[]
}

@InputType({ description: 'What an agent answers to a message in which one of the keywords stands.' })
export class AgentScriptInput {
  @Field(() => [String], { description: 'Words, or several in a row, without regard to case and accents.' })
  @MaxLength(255)
  keywords!: string[]

  @Field(() => String, { description: 'The answer, with variables such as {{first_name}}.' })
  @MaxLength(4096)
  reply!: string
}

@InputType({ description: 'What counts for a lead, or against it, by what stands in its messages.' })
export class AgentCriterionInput {
  @Field(() => String, { description: 'What it is called among the reasons, or the objections.' })
  @MaxLength(255)
  name!: string

  @Field(() => [String], { description: 'Words, or several in a row, without regard to case and accents.' })
  @MaxLength(255)
  keywords!: string[]

  @Field(() => Int, { description: 'Points, from -100 to 100; less than 0 makes it an objection.' })
  @Between(-100, 100)
  points!: number
}

@InputType({ description: 'The approved template that opens conversations.' })
export class AgentTemplateInput {
  @Field(() => String, { description: 'Its name at the provider.' })
  @MaxLength(255)
  name!: string

  @Field(() => String, { description: 'Its language, as the provider names it, such as pt_BR.' })
  @MaxLength(16)
  language!: string

  @Field(() => [String], { description: 'The values of its parameters in their order, with variables.' })
  @MaxLength(1024)
  parameters!: string[]
}
