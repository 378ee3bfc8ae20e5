import { Field, Float, ID, ObjectType } from 'type-graphql'
import { ReadWith } from '../../kit/permissions.js'

@ObjectType({ description: 'An article that answers a question.', simpleResolvers: true })
@ReadWith('knowledge:read')
export class KnowledgeHit {
  @Field(() => ID, { description: 'The id of the article.' })
  id!: string

  @Field(() => String, { description: 'The title.' })
  name!: string

  @Field(() => String, { description: 'The text.' })
  content!: string

  @Field(() => Float, { description: 'How well it answers; only worth comparing with the others of the answer.' })
  rank!: number
}
