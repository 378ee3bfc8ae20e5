import { Field, ID, Int, ObjectType } from 'type-graphql'
import { Example, exampleId } from '../../kit/documentation.js'
import { ReadWith } from '../../kit/permissions.js'

@ObjectType({ description: 'An article that an agent was given to answer from.', simpleResolvers: true })
@ReadWith('agents:run')
export class UsedArticle {
  @Example(exampleId('KnowledgeArticle'))
  @Field(() => ID, { description: 'The id of the article.' })
  id!: string

  @Example('What an installation costs')
  @Field(() => String, { description: 'The title.' })
  name!: string
}

@ObjectType({ description: 'What an agent would do; nothing of it is done.', simpleResolvers: true })
@ReadWith('agents:run')
export class ChatAnswer {
  @Example('It depends on your roof, Ana.')
  @Field(() => String, {
    nullable: true,
    description: 'What it would say; null where it would say nothing, as when the lead has not spoken last.',
  })
  reply!: string | null

  @Example(null)
  @Field(() => String, {
    nullable: true,
    description: 'Why it would hand the lead over to people; null if it would not.',
  })
  handsOver!: string | null

  @Example(40)
  @Field(() => Int, { nullable: true, description: 'How well the lead fits, from 0 to 100; null where it has no say.' })
  score!: number | null

  @Example('warm')
  @Field(() => String, { nullable: true, description: 'How it would classify the lead.' })
  stage!: string | null

  @Example(['Has a budget'])
  @Field(() => [String], { description: 'What speaks for the lead.' })
  reasons!: string[]

  @Example(['Too expensive'])
  @Field(() => [String], { description: 'What speaks against the lead.' })
  objections!: string[]

  @Field(() => [UsedArticle], { description: 'The articles that it was given to answer from.' })
  articles!: UsedArticle[]
}
