import { Field, ID, ObjectType } from 'type-graphql'
import { ReadWith } from './permissions.js'

@ObjectType({ description: 'The trace of a record that was deleted.', simpleResolvers: true })
@ReadWith('any')
export class DeletedRecord {
  @Field(() => ID, { description: 'The id that the record had.' })
  id!: string

  @Field(() => Boolean, { description: 'True: the record is gone.' })
  deleted!: boolean
}
