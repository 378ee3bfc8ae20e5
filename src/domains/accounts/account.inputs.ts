import { Field, InputType } from 'type-graphql'
import { CurrencyCode, MaxLength, NotNull } from '../../kit/constraints.js'

@InputType({ description: 'What to change of the account: a field left out stays.' })
export class UpdateAccountInput {
  @Field(() => String, { nullable: true, description: 'The name of the company; it cannot be emptied.' })
  @MaxLength(255)
  @NotNull()
  name?: string

  @Field(() => String, {
    nullable: true,
    description:
      'ISO 3166 code of the country whose phone numbers need no country code. Numbers that are stored stay as they are.',
  })
  @MaxLength(2)
  @NotNull()
  country?: string

  @Field(() => String, {
    nullable: true,
    description:
      'ISO 4217 code of the currency that new opportunities and products are in unless said otherwise. Those that are ' +
      'there keep theirs, and no amount is converted.',
  })
  @CurrencyCode()
  @NotNull()
  currency?: string

  @Field(() => String, {
    nullable: true,
    description: 'The IANA name of the time zone by whose clocks flows send their mails, such as America/Sao_Paulo.',
  })
  @MaxLength(64)
  @NotNull()
  timeZone?: string
}
