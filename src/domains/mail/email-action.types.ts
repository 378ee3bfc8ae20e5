import { Field, ID, InputType, ObjectType } from 'type-graphql'
import { Example, exampleId } from '../../kit/documentation.js'
import { ReadWith } from '../../kit/permissions.js'

@InputType({ description: 'A mail to the contact of a new opportunity, made from a template.' })
export class EmailActionInput {
  @Field(() => ID, { nullable: true, description: 'The template that is sent.' })
  templateId?: string | null

  @Field(() => ID, { nullable: true, description: "Whom it comes from; the account's default sender if left out." })
  senderId?: string | null
}

@ObjectType({ description: 'What came of a mail to the contact of a new opportunity.', simpleResolvers: true })
@ReadWith('any')
export class EmailActionResult {
  @Example(true)
  @Field(() => Boolean, { description: 'Whether the mail server has taken it.' })
  sent!: boolean

  @Example(exampleId('Mail'))
  @Field(() => ID, { nullable: true, description: 'The mail; null where none was written.' })
  emailId!: string | null

  @Example(null)
  @Field(() => String, { nullable: true, description: 'Why it was not sent, in a sentence; null when it was.' })
  error!: string | null
}
