import { Field, ID, InputType } from 'type-graphql'
import { EmailAddress, MaxLength, NotNull, OneOf } from '../../kit/constraints.js'
import { MailStatus } from './mail.entity.js'

@InputType({ description: 'A new template. Variables stand in double braces: {{first_name}}.' })
export class CreateEmailTemplateInput {
  @Field(() => String, { description: 'The name, for the people of the account.' })
  @MaxLength(255)
  name!: string

  @Field(() => String, { description: 'The subject, with variables.' })
  @MaxLength(255)
  subject!: string

  @Field(() => String, { description: 'The HTML, with variables.' })
  @MaxLength(200_000)
  html!: string

  @Field(() => String, { nullable: true, description: 'The plain text, with variables; made of the HTML if left out.' })
  @MaxLength(100_000)
  text?: string | null
}

@InputType({ description: 'What to change of a template: a field left out stays, null or "" empties the text.' })
export class UpdateEmailTemplateInput {
  @Field(() => String, { nullable: true, description: 'The name; it cannot be emptied.' })
  @MaxLength(255)
  @NotNull()
  name?: string

  @Field(() => String, { nullable: true, description: 'The subject; it cannot be emptied.' })
  @MaxLength(255)
  @NotNull()
  subject?: string

  @Field(() => String, { nullable: true, description: 'The HTML; it cannot be emptied.' })
  @MaxLength(200_000)
  @NotNull()
  html?: string

  @Field(() => String, { nullable: true, description: 'The plain text; made of the HTML when empty.' })
  @MaxLength(100_000)
  text?: string | null
}

@InputType({ description: 'A new sender; the first of an account is its default.' })
export class CreateEmailSenderInput {
  @Field(() => String, { description: 'The name that is shown beside the address.' })
  @MaxLength(255)
  name!: string

  @Field(() => String, { description: 'The email address, at a domain whose DNS records you can change.' })
  @EmailAddress()
  address!: string
}

@InputType({ description: 'What to change of a sender. Another address is another sender.' })
export class UpdateEmailSenderInput {
  @Field(() => String, { nullable: true, description: 'The name that is shown beside the address.' })
  @MaxLength(255)
  @NotNull()
  name?: string
}

@InputType({ description: 'Which mails to list: those that meet every condition given.' })
export class MailFilter {
  @Field(() => String, { nullable: true, description: 'What became of them, without regard to case.' })
  @OneOf(MailStatus)
  status?: string | null

  @Field(() => ID, { nullable: true, description: 'The id of the contact.' })
  contactId?: string | null

  @Field(() => ID, { nullable: true, description: 'The id of the template.' })
  templateId?: string | null

  @Field(() => ID, { nullable: true, description: 'The id of the sender.' })
  senderId?: string | null
}

@InputType({ description: 'An address that is to get no mail any more.' })
export class SuppressAddressInput {
  @Field(() => String, { description: 'The email address.' })
  @EmailAddress()
  address!: string
}
