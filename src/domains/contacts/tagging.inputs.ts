import { Field, InputType } from 'type-graphql'
import { Label } from '../../kit/constraints.js'
import { Example } from '../../kit/documentation.js'

@InputType({ description: 'Tags that a contact is to have besides those that it has.' })
export class AddContactTagsInput {
  @Field(() => [String], {
    description:
      'The names of the tags, each of a single line, without regard to case; one that the account does not have is created.',
  })
  @Label(255)
  @Example(['Hot lead', 'Fair 2026'])
  names!: string[]
}
