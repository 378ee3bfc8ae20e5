import { Field, InputType } from 'type-graphql'
import { MaxLength, NotNull } from '../../kit/constraints.js'
import { DateTime } from '../../kit/scalars.js'

@InputType({ description: 'A remark on a contact.' })
export class ContactNoteInput {
  @Field(() => String, { description: 'What is to be noted, at most 20,000 characters.' })
  @MaxLength(20_000)
  note!: string
}

@InputType({ description: 'A visit by which a contact found the account, as the web site recorded it.' })
export class RecordTouchInput {
  @Field(() => String, { nullable: true, description: 'The channel, such as paid_search, organic or email.' })
  @MaxLength(255)
  channel?: string | null

  @Field(() => String, { nullable: true, description: 'The page on which the visit began.' })
  @MaxLength(2048)
  landingUrl?: string | null

  @Field(() => String, { nullable: true, description: 'The page from which the visitor came.' })
  @MaxLength(2048)
  referrer?: string | null

  @Field(() => String, { nullable: true, description: 'utm_source of the address.' })
  @MaxLength(255)
  utmSource?: string | null

  @Field(() => String, { nullable: true, description: 'utm_medium of the address.' })
  @MaxLength(255)
  utmMedium?: string | null

  @Field(() => String, { nullable: true, description: 'utm_campaign of the address.' })
  @MaxLength(255)
  utmCampaign?: string | null

  @Field(() => String, { nullable: true, description: 'utm_term of the address.' })
  @MaxLength(255)
  utmTerm?: string | null

  @Field(() => String, { nullable: true, description: 'utm_content of the address.' })
  @MaxLength(255)
  utmContent?: string | null

  @Field(() => String, { nullable: true, description: 'Click id of Google Ads.' })
  @MaxLength(1024)
  gclid?: string | null

  @Field(() => String, { nullable: true, description: 'Click id of Meta.' })
  @MaxLength(1024)
  fbclid?: string | null

  @Field(() => String, { nullable: true, description: 'Click id of Microsoft Advertising.' })
  @MaxLength(1024)
  msclkid?: string | null

  @Field(() => String, { nullable: true, description: 'Click id of TikTok.' })
  @MaxLength(1024)
  ttclid?: string | null

  @Field(() => String, { nullable: true, description: 'Click id of LinkedIn.' })
  @MaxLength(1024)
  liFatId?: string | null

  @Field(() => DateTime, { nullable: true, description: 'When the visit was; now if left out.' })
  @NotNull()
  occurredAt?: Date | null
}
