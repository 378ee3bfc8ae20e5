import { Field, ID, InputType, Int } from 'type-graphql'
import { Between, MaxLength, NotNull, RecordId } from '../../kit/constraints.js'
import { CHANNELS, type Channel } from './agency.entity.js'
import { DEFAULT_CURRENCY, DEFAULT_SEAT_PRICE, MAX_SEAT_PRICE } from './agency.service.js'
import { SCOPES } from './agency-token.service.js'

@InputType({ description: 'A new agency, which becomes a customer of the provider of billing.' })
export class CreateAgencyInput {
  @Field(() => String, { description: 'Its name.' })
  @MaxLength(255)
  name!: string

  @Field(() => Int, {
    nullable: true,
    description: `What a seat costs for a cycle, in the currency's smallest unit; ${DEFAULT_SEAT_PRICE} if left out.`,
  })
  @Between(0, MAX_SEAT_PRICE)
  @NotNull()
  seatPriceCents?: number

  @Field(() => String, {
    nullable: true,
    description: `The ISO 4217 code of the currency of its charges; ${DEFAULT_CURRENCY} if left out.`,
  })
  @NotNull()
  currency?: string

  @Field(() => [String], {
    nullable: true,
    description: `The channels whose seats are charged, of ${CHANNELS.join(', ')}; all if left out.`,
  })
  @NotNull()
  billableChannels?: Channel[]

  @Field(() => String, {
    nullable: true,
    description:
      'The card to put on file, as the provider of billing calls it, such as pm_card_visa; none if left out.',
  })
  @MaxLength(255)
  @NotNull()
  paymentMethod?: string
}

@InputType({ description: 'A new token of an agency.' })
export class CreateAgencyTokenInput {
  @Field(() => ID, { description: 'The agency whose token it is.' })
  agencyId!: string

  @Field(() => [String], { description: `What it may do: ${Object.keys(SCOPES).join(', ')}.` })
  scopes!: string[]
}

@InputType({ description: 'Which agencies to list: those that meet every condition given.' })
export class AgencyFilter {
  @Field(() => String, { nullable: true, description: 'Part of the name, without regard to case and accents.' })
  search?: string | null

  @Field(() => String, { nullable: true, description: 'The key that stands in the addresses of its API.' })
  agencyKey?: string | null

  @Field(() => Boolean, { nullable: true, description: 'Only those with a card on file, or only those without.' })
  hasPaymentMethod?: boolean | null
}

@InputType({ description: 'Which tokens to list: those that meet every condition given.' })
export class AgencyTokenFilter {
  @Field(() => ID, { nullable: true, description: 'Only those of this agency.' })
  @RecordId()
  agencyId?: string | null

  @Field(() => Boolean, { nullable: true, description: 'Only those in force, or only those that were revoked.' })
  isActive?: boolean | null
}
