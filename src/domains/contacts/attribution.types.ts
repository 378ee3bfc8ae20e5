import { Field, Int, ObjectType } from 'type-graphql'
import { Example, ExampleRecords, WrittenOutside } from '../../kit/documentation.js'
import { ReadWith } from '../../kit/permissions.js'
import { DateTime, JSONObject } from '../../kit/scalars.js'

@ObjectType({
  description: 'How a contact found the account, by the visits that were recorded.',
  simpleResolvers: true,
})
@ReadWith('contacts:read')
@ExampleRecords({ firstSeenAt: '2026-01-18T19:02:00.000Z', lastSeenAt: '2026-01-25T20:11:00.000Z' })
export class Attribution {
  @WrittenOutside()
  @Field(() => String, { nullable: true, description: 'utm_source of the first visit.' })
  @Example('google')
  firstUtmSource?: string | null

  @WrittenOutside()
  @Field(() => String, { nullable: true, description: 'utm_medium of the first visit.' })
  @Example('cpc')
  firstUtmMedium?: string | null

  @WrittenOutside()
  @Field(() => String, { nullable: true, description: 'utm_campaign of the first visit.' })
  @Example('spring')
  firstUtmCampaign?: string | null

  @WrittenOutside()
  @Field(() => String, { nullable: true, description: 'The channel of the first visit.' })
  @Example('paid_search')
  firstChannel?: string | null

  @WrittenOutside()
  @Field(() => String, { nullable: true, description: 'The page on which the first visit began.' })
  @Example('https://example.com/landing')
  firstLandingUrl?: string | null

  @WrittenOutside()
  @Field(() => JSONObject, { description: 'Everything recorded of the first visit.' })
  @Example({ utm_source: 'google', gclid: 'EAIaIQ' })
  firstTouch!: Record<string, unknown>

  @WrittenOutside()
  @Field(() => JSONObject, { description: 'Everything recorded of the latest visit.' })
  @Example({ utm_source: 'newsletter', utm_medium: 'email' })
  lastTouch!: Record<string, unknown>

  @Field(() => Int, { description: 'How many visits were recorded.' })
  @Example(2)
  touchCount!: number

  @Field(() => DateTime, { description: 'When the first visit was.' })
  firstSeenAt!: Date

  @Field(() => DateTime, { description: 'When the latest visit was.' })
  lastSeenAt!: Date
}
