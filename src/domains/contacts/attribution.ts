import { Field, Int, ObjectType } from 'type-graphql'
import { DateTime, JSONObject } from '../../shared/scalars.js'

@ObjectType({
  description: 'How a contact found the account, by the visits that were recorded.',
  simpleResolvers: true,
})
export class Attribution {
  @Field(() => String, { nullable: true, description: 'utm_source of the first visit.' })
  firstUtmSource?: string | null

  @Field(() => String, { nullable: true, description: 'utm_medium of the first visit.' })
  firstUtmMedium?: string | null

  @Field(() => String, { nullable: true, description: 'utm_campaign of the first visit.' })
  firstUtmCampaign?: string | null

  @Field(() => String, { nullable: true, description: 'The channel of the first visit.' })
  firstChannel?: string | null

  @Field(() => String, { nullable: true, description: 'The page on which the first visit began.' })
  firstLandingUrl?: string | null

  @Field(() => JSONObject, { description: 'Everything recorded of the first visit.' })
  firstTouch!: Record<string, unknown>

  @Field(() => JSONObject, { description: 'Everything recorded of the latest visit.' })
  lastTouch!: Record<string, unknown>

  @Field(() => Int, { description: 'How many visits were recorded.' })
  touchCount!: number

  @Field(() => DateTime, { description: 'When the first visit was.' })
  firstSeenAt!: Date

  @Field(() => DateTime, { description: 'When the latest visit was.' })
  lastSeenAt!: Date
}
