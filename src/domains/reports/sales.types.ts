import { Field, Float, ID, Int, ObjectType } from 'type-graphql'
import { Example, ExampleRecords, exampleId } from '../../kit/documentation.js'
import { ReadWith } from '../../kit/permissions.js'
import { AppliedFilter } from './report.types.js'

@ObjectType({ description: 'How many opportunities, and what they are worth.', simpleResolvers: true })
@ReadWith('reports:read')
@ExampleRecords({ count: 73, value: 159830.9 })
export class CountAndValue {
  @Field(() => Int, { description: 'How many.' })
  count!: number

  @Field(() => Float, { description: 'What they are worth together, whatever the currencies, exact to the cent.' })
  value!: number
}

@ObjectType({ description: 'What is open, won and lost.', simpleResolvers: true })
@ReadWith('reports:read')
@ExampleRecords({
  open: { count: 73, value: 159830.9 },
  won: { count: 9, value: 40120 },
  lost: { count: 7, value: 18400 },
  winRate: 56.25,
  averageTicket: 4457.78,
})
export class SalesSummary {
  @Field(() => CountAndValue, { description: 'Neither won nor lost.' })
  open!: CountAndValue

  @Field(() => CountAndValue, { description: 'Won, and not lost or discarded since.' })
  won!: CountAndValue

  @Field(() => CountAndValue, { description: 'Lost or discarded.' })
  lost!: CountAndValue

  @Field(() => Float, { nullable: true, description: 'Won in percent of won and lost; null when there are none.' })
  winRate!: number | null

  @Field(() => Float, { nullable: true, description: 'The value of won ones for each; null when there are none.' })
  averageTicket!: number | null

  @Field(() => AppliedFilter, { description: 'The conditions as they were applied.' })
  filters!: AppliedFilter
}

@ObjectType({ description: 'Who sells.', simpleResolvers: true })
export class Seller {
  @Field(() => ID, { nullable: true, description: 'The id of the owner; null for what nobody owns.' })
  @Example(exampleId('User'))
  ownerUserId!: string | null

  @Field(() => String, { nullable: true, description: 'The name of the owner.' })
  @Example('Bia Ramos')
  ownerUserName!: string | null

  @Field(() => String, { nullable: true, description: 'The email address of the owner.' })
  @Example('bia.ramos@example.com')
  ownerUserEmail!: string | null
}

@ObjectType({ description: 'What a seller has open, won and lost.', simpleResolvers: true })
@ReadWith('reports:read')
@ExampleRecords(
  { openCount: 40, wonCount: 6, lostCount: 4, revenue: 27300, averageTicket: 4550, conversionRate: 60 },
  {
    ownerUserId: null,
    ownerUserName: null,
    ownerUserEmail: null,
    openCount: 33,
    wonCount: 3,
    lostCount: 3,
    revenue: 12820,
    averageTicket: 4273.33,
    conversionRate: 50,
  },
)
export class SellerResult extends Seller {
  @Field(() => Int, { description: 'How many are neither won nor lost.' })
  openCount!: number

  @Field(() => Int, { description: 'How many are won.' })
  wonCount!: number

  @Field(() => Int, { description: 'How many are lost or discarded.' })
  lostCount!: number

  @Field(() => Float, { description: 'What the won ones are worth together, exact to the cent.' })
  revenue!: number

  @Field(() => Float, { nullable: true, description: 'The revenue for each won one; null when there are none.' })
  averageTicket!: number | null

  @Field(() => Float, { nullable: true, description: 'Won in percent of won and lost; null when there are none.' })
  conversionRate!: number | null
}
