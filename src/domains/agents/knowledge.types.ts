import { Field, Float, ID, ObjectType } from 'type-graphql'
import { Example, exampleId } from '../../kit/documentation.js'
import { ReadWith } from '../../kit/permissions.js'

@ObjectType({ description: 'An article that answers a question.', simpleResolvers: true })
@ReadWith('knowledge:read')
export class KnowledgeHit {
  @Example(exampleId('KnowledgeArticle'))
  @Field(() => ID, { description: 'The id of the article.' })
  id!: string

  @Example('What an installation costs')
  @Field(() => String, { description: 'The title.' })
  name!: string

  @Example('A roof of 20 m² comes to some 18,000 with everything; the bank pays in 60 instalments.')
  @Field(() => String, { description: 'The text.' })
  content!: string

  @Example(0.61)
  @Field(() => Float, { description: 'How well it answers; only worth comparing with the others of the answer.' })
  rank!: number
}
