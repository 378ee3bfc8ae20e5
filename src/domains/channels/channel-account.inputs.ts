import { Field, InputType, registerEnumType } from 'type-graphql'
import { MaxLength, NotNull } from '../../kit/constraints.js'

/** The kinds of channels, as GraphQL names them. */
export enum ChannelKindName {
  WHATSAPP = 'whatsapp',
  INSTAGRAM = 'instagram',
  LINKEDIN = 'linkedin',
}
registerEnumType(ChannelKindName, {
  name: 'ChannelKind',
  description: 'A kind of channel. Instagram and LinkedIn are a sandbox, which writes down what it would send.',
  valuesConfig: {
    WHATSAPP: { description: 'A WhatsApp number.' },
    INSTAGRAM: { description: 'An Instagram profile.' },
    LINKEDIN: { description: 'A LinkedIn profile.' },
  },
})

@InputType({ description: 'A number or profile to connect, for the first time or again.' })
export class ConnectChannelInput {
  @Field(() => ChannelKindName, { description: 'The kind of channel.' })
  kind!: ChannelKindName

  @Field(() => String, { description: "What the provider calls it, such as WhatsApp's phone number id." })
  @MaxLength(128)
  externalId!: string

  @Field(() => String, { description: 'The token that opens it; it is stored sealed, and shown to nobody.' })
  @MaxLength(4096)
  token!: string

  @Field(() => String, { nullable: true, description: "The name; the provider's, or else the number, if left out." })
  @MaxLength(255)
  name?: string | null
}

@InputType({ description: 'What to change of a channel account: a field left out stays.' })
export class UpdateChannelAccountInput {
  @Field(() => String, { nullable: true, description: 'The name; it cannot be emptied.' })
  @MaxLength(255)
  @NotNull()
  name?: string
}
