import { Field, Float, ID, Int, ObjectType } from 'type-graphql'
import { ReadWith } from '../../kit/permissions.js'
import { DateTime } from '../../kit/scalars.js'

@ObjectType({
  description: 'The card that charges are paid with; what the provider of billing does not tell of it is null.',
  simpleResolvers: true,
})
@ReadWith('any')
export class AgencyCard {
  @Field(() => String, { description: 'What the provider of billing calls it.' })
  paymentMethod!: string

  @Field(() => String, { nullable: true, description: 'Its brand, such as visa.' })
  brand!: string | null

  @Field(() => String, { nullable: true, description: 'Its last four digits.' })
  last4!: string | null

  @Field(() => String, { nullable: true, description: 'The year and month in which it expires, such as 2029-08.' })
  expires!: string | null
}

@ObjectType({
  description: 'A cycle whose seats could not be collected yet; the sub-accounts keep them meanwhile.',
  simpleResolvers: true,
})
@ReadWith('any')
export class UnpaidRenewal {
  @Field(() => ID, { description: 'The charge, as the ledger names it.' })
  chargeId!: string

  @Field(() => DateTime, { description: 'When the cycle began.' })
  periodStart!: string

  @Field(() => DateTime, { description: 'When it ends.' })
  periodEnd!: string

  @Field(() => Int, { description: 'How many seats it began with.' })
  seats!: number

  @Field(() => Float, {
    description: "What is owed, with what was carried over, in the smallest unit of the agency's currency.",
  })
  owedCents!: number

  @Field(() => String, {
    nullable: true,
    description:
      'Why the last attempt failed: card_declined, authentication_required or no_payment_method; null before it came to its end.',
  })
  decline!: string | null

  @Field(() => Int, { description: 'How often it was declined.' })
  declines!: number

  @Field(() => DateTime, { nullable: true, description: 'When it is tried again; null while it is being tried.' })
  retryAt!: string | null

  @Field(() => String, {
    nullable: true,
    description: 'How far its last invoice is, in the words of Stripe: draft, open, paid, uncollectible or void.',
  })
  invoiceStatus!: string | null
}

@ObjectType({
  description: 'How an agency stands with what it pays; amounts are in the smallest unit of its currency.',
  simpleResolvers: true,
})
@ReadWith('any')
export class AgencyBilling {
  @Field(() => ID, { description: 'The agency.' })
  agencyId!: string

  @Field(() => String, { description: 'The ISO 4217 code of the currency.' })
  currency!: string

  @Field(() => Int, { description: 'What a seat costs for a cycle.' })
  seatPriceCents!: number

  @Field(() => Int, { description: 'How many seats it pays for now.' })
  seats!: number

  @Field(() => Float, {
    description: 'What was too small to be charged alone, and waits for the next charge or renewal.',
  })
  carriedCents!: number

  @Field(() => Float, { description: 'What renewals owe that could not be collected yet.' })
  unpaidCents!: number

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the present cycle ends and the next is charged; null before the first charge.',
  })
  renewsAt!: string | null

  @Field(() => DateTime, { nullable: true, description: 'When a renewal that was declined is tried again.' })
  retryAt!: string | null

  @Field(() => String, {
    nullable: true,
    description: 'Why the last renewal could not be collected, if one is unpaid.',
  })
  decline!: string | null

  @Field(() => AgencyCard, { nullable: true, description: 'The card on file; null where there is none.' })
  card!: AgencyCard | null

  @Field(() => DateTime, {
    nullable: true,
    description: 'When that was read from the provider of billing, be it that there is none; null if never.',
  })
  cardAsOf!: string | null

  @Field(() => [UnpaidRenewal], { description: 'The cycles that are not paid yet, the earliest first.' })
  unpaidRenewals!: UnpaidRenewal[]

  @Field(() => Int, { description: 'Charges that are under way: neither settled nor given up.' })
  pendingCharges!: number
}
