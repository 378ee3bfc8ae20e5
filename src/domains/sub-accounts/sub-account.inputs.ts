import { Field, InputType, Int } from 'type-graphql'
import { Between, Closed, EmailAddress, Label, MaxLength, NeedsPermission, NotNull } from '../../kit/constraints.js'
import { Example } from '../../kit/documentation.js'

const MAX_SEATS = 100

@InputType({ description: 'How many seats a sub-account has in each channel; a channel that is left out has none.' })
@Closed()
export class ChannelQuotasInput {
  @Field(() => Int, { nullable: true, description: 'Seats for LinkedIn.' })
  @Between(0, MAX_SEATS)
  @NotNull()
  @Example(2)
  linkedin?: number

  @Field(() => Int, { nullable: true, description: 'Seats for WhatsApp.' })
  @Between(0, MAX_SEATS)
  @NotNull()
  @Example(1)
  whatsapp?: number

  @Field(() => Int, { nullable: true, description: 'Seats for Instagram.' })
  @Between(0, MAX_SEATS)
  @NotNull()
  @Example(0)
  instagram?: number

  @Field(() => Int, { nullable: true, description: 'Seats for email marketing.' })
  @Between(0, MAX_SEATS)
  @NotNull()
  @Example(0)
  emailMarketing?: number
}

@InputType({ description: 'A sub-account to be created, with its first admin.' })
export class CreateSubAccountInput {
  @Field(() => String, { description: "The client's name." })
  @MaxLength(255)
  @Example('Padaria Central')
  name!: string

  @Field(() => String, { description: 'The address with which the admin signs in; nobody in the service may have it.' })
  @EmailAddress()
  @Example('ana@padaria-central.example')
  adminEmail!: string

  @Field(() => String, { nullable: true, description: "The admin's name; the address if left out." })
  @MaxLength(255)
  @Example('Ana Prado')
  adminName?: string | null

  @Field(() => String, {
    nullable: true,
    description: 'How your own program calls the sub-account; `ext:` and this can stand for its id from then on.',
  })
  @Label(120)
  @Example('client-1042')
  externalRef?: string | null

  @Field(() => ChannelQuotasInput, {
    nullable: true,
    description: 'Seats by channel, charged for the rest of the cycle; none if left out.',
  })
  @Example({ linkedin: 2, whatsapp: 1 })
  channels?: ChannelQuotasInput | null

  @Field(() => Boolean, {
    nullable: true,
    description: "Whether to be told the admin's temporary password, which works until the admin has chosen another.",
  })
  @NeedsPermission('sub_account.credentials')
  @Example(true)
  includeCredentials?: boolean | null
}

@InputType({ description: 'All seats that a sub-account is to have.' })
export class UpdateSubAccountChannelsInput {
  @Field(() => ChannelQuotasInput, { description: 'Seats by channel; a channel that is left out has none then.' })
  @Example({ linkedin: 3, whatsapp: 1 })
  channels!: ChannelQuotasInput
}
