import { Field, ID, ObjectType } from 'type-graphql'
import { Example, exampleId } from '../../kit/documentation.js'
import { ReadWith } from '../../kit/permissions.js'
import { Tag } from '../reference/tag.entity.js'

@ObjectType({ description: 'What came of giving tags to a contact.', simpleResolvers: true })
@ReadWith('any')
export class AddedTags {
  @Field(() => ID, { description: 'The contact.' })
  @Example(exampleId('Contact'))
  contactId!: string

  @Field(() => [Tag], { description: 'The tags that were asked for, by name; the contact has them all now.' })
  tags!: Tag[]

  @Field(() => [String], { description: 'The names of those that the contact did not have before.' })
  @Example(['Hot lead'])
  added!: string[]

  @Field(() => [String], { description: 'The names of those that the account did not have before.' })
  @Example([])
  created!: string[]
}
