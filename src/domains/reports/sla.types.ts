import { Field, Float, Int, ObjectType } from 'type-graphql'
import { ExampleRecords } from '../../kit/documentation.js'
import { ReadWith } from '../../kit/permissions.js'
import { AppliedFilter } from './report.types.js'
import { Seller } from './sales.types.js'

@ObjectType({ description: 'How many opportunities got how far.', simpleResolvers: true })
@ReadWith('reports:read')
@ExampleRecords({ withOutreach: 52, accepted: 31, qualified: 17, won: 9 })
export class SlaCounts {
  @Field(() => Int, { description: 'With a first outreach.' })
  withOutreach!: number

  @Field(() => Int, { description: 'Accepted by the contact.' })
  accepted!: number

  @Field(() => Int, { description: 'Qualified.' })
  qualified!: number

  @Field(() => Int, { description: 'Won.' })
  won!: number
}

const HOURS = 'hours on average, over those that have both times; null when none has'

@ObjectType({ description: 'How long the steps of selling took, over all sellers.', simpleResolvers: true })
@ReadWith('reports:read')
@ExampleRecords({
  avgHoursToFirstOutreach: 5.25,
  avgHoursToAcceptance: 21.5,
  avgHoursToQualification: 30.75,
  avgSalesCycleDays: 12.4,
})
export class SlaOverall {
  @Field(() => Float, { nullable: true, description: `From the creation to the first outreach: ${HOURS}.` })
  avgHoursToFirstOutreach!: number | null

  @Field(() => Float, { nullable: true, description: `From the first outreach to its acceptance: ${HOURS}.` })
  avgHoursToAcceptance!: number | null

  @Field(() => Float, { nullable: true, description: `From the start of qualification to its end: ${HOURS}.` })
  avgHoursToQualification!: number | null

  @Field(() => Float, { nullable: true, description: 'From the creation to the win: days on average, likewise.' })
  avgSalesCycleDays!: number | null

  @Field(() => SlaCounts, { description: 'How many got how far.' })
  counts!: SlaCounts
}

@ObjectType({ description: 'How long the steps of selling took a seller.', simpleResolvers: true })
@ReadWith('reports:read')
@ExampleRecords(
  {
    avgHoursToFirstOutreach: 3.5,
    avgHoursToAcceptance: 19.25,
    avgHoursToQualification: 28,
    avgSalesCycleDays: 11.2,
    wonCount: 6,
  },
  {
    ownerUserId: null,
    ownerUserName: null,
    ownerUserEmail: null,
    avgHoursToFirstOutreach: 8.75,
    avgHoursToAcceptance: 26,
    avgHoursToQualification: 36.25,
    avgSalesCycleDays: 14.8,
    wonCount: 3,
  },
)
export class SellerSla extends Seller {
  @Field(() => Float, { nullable: true, description: `From the creation to the first outreach: ${HOURS}.` })
  avgHoursToFirstOutreach!: number | null

  @Field(() => Float, { nullable: true, description: `From the first outreach to its acceptance: ${HOURS}.` })
  avgHoursToAcceptance!: number | null

  @Field(() => Float, { nullable: true, description: `From the start of qualification to its end: ${HOURS}.` })
  avgHoursToQualification!: number | null

  @Field(() => Float, { nullable: true, description: 'From the creation to the win: days on average, likewise.' })
  avgSalesCycleDays!: number | null

  @Field(() => Int, { description: 'How many are won.' })
  wonCount!: number
}

@ObjectType({ description: 'How long the steps of selling took.', simpleResolvers: true })
@ReadWith('reports:read')
export class SlaReport {
  @Field(() => SlaOverall, { description: 'Over all sellers.' })
  overall!: SlaOverall

  @Field(() => [SellerSla], { description: 'By seller, most wins first; what nobody owns is one row, without an id.' })
  bySeller!: SellerSla[]

  @Field(() => AppliedFilter, { description: 'The conditions as they were applied.' })
  filters!: AppliedFilter
}
