import { Field, Float, ID, Int, ObjectType } from 'type-graphql'
import { ReadWith } from '../../kit/permissions.js'
import { DateTime } from '../../kit/scalars.js'

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

  @Field(() => Int, { description: 'Charges that are under way: neither settled nor given up.' })
  pendingCharges!: number
}
