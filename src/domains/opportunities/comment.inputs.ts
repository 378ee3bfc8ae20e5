import { Field, InputType } from 'type-graphql'
import { MaxLength } from '../../kit/constraints.js'
import { Example } from '../../kit/documentation.js'

@InputType({ description: 'A comment on an opportunity.' })
export class OpportunityCommentInput {
  @Field(() => String, { description: 'What is to be written, at most 20,000 characters.' })
  @MaxLength(20_000)
  @Example('Wants the installation in March.')
  content!: string
}
