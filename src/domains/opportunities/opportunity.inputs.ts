import { Field, Float, ID, InputType, Int, registerEnumType } from 'type-graphql'
import { Between, CurrencyCode, EmailAddress, MaxLength, Money, NotNull, RecordId } from '../../kit/constraints.js'
import { Example, exampleId } from '../../kit/documentation.js'
import { DateOnly } from '../../kit/scalars.js'
import { OpportunitySource } from './opportunity.entity.js'

/** What a new opportunity and a change of one have in common: the lead, and what is known of the sale. */
@InputType()
abstract class OpportunityFields {
  @Field(() => String, {
    nullable: true,
    description: 'What the opportunity is called, where that is to differ from the name of the lead.',
  })
  @MaxLength(255)
  @NotNull()
  @Example('Solar roof')
  title?: string

  @Field(() => String, { nullable: true, description: "The lead's job title." })
  @MaxLength(255)
  @Example('Head of Sales')
  jobTitle?: string | null

  @Field(() => String, { nullable: true, description: "The lead's company." })
  @MaxLength(255)
  @Example('Aurora Energia')
  company?: string | null

  @Field(() => String, { nullable: true, description: 'Where the lead is.' })
  @MaxLength(255)
  @Example('São Paulo')
  location?: string | null

  @Field(() => String, { nullable: true, description: "The line under the name in the lead's profile." })
  @MaxLength(255)
  @Example('Building sales teams')
  headline?: string | null

  @Field(() => String, { nullable: true, description: "The address of the lead's LinkedIn profile." })
  @MaxLength(2048)
  @Example('https://www.linkedin.com/in/ana-souza')
  profileUrl?: string | null

  @Field(() => String, { nullable: true, description: "The address of the lead's picture." })
  @MaxLength(2048)
  @Example('https://example.com/ana.jpg')
  profilePicture?: string | null

  @Field(() => String, { nullable: true, description: "The lead's phone number, best with its country code." })
  @MaxLength(40)
  @Example('+5511987654321')
  phone?: string | null

  @Field(() => String, { nullable: true, description: "The lead's email address, by which a contact is recognised." })
  @EmailAddress()
  @Example('ana.souza@example.com')
  email?: string | null

  @Field(() => Float, { nullable: true, description: 'The score of the lead; a fraction is rounded.' })
  @Between(-2_147_483_648, 2_147_483_647)
  @Example(75)
  score?: number | null

  @Field(() => String, { nullable: true, description: 'What is to be noted on the opportunity.' })
  @MaxLength(20_000)
  @Example('Met at the fair.')
  notes?: string | null

  @Field(() => ID, { nullable: true, description: 'The id of an active user who is to own it.' })
  @RecordId()
  @Example(exampleId('User'))
  ownerUserId?: string | null

  @Field(() => ID, { nullable: true, description: 'The id of the sector.' })
  @RecordId()
  @Example(exampleId('Sector'))
  sectorId?: string | null

  @Field(() => ID, { nullable: true, description: 'The id of the campaign.' })
  @RecordId()
  @Example(exampleId('Campaign'))
  campaignId?: string | null

  @Field(() => Float, {
    nullable: true,
    description: 'What it is worth, with at most two decimals; refused where it follows from products.',
  })
  @Money()
  @NotNull()
  @Example(3582.9)
  value?: number

  @Field(() => String, { nullable: true, description: "ISO 4217 code of the value's currency." })
  @CurrencyCode()
  @NotNull()
  @Example('BRL')
  currency?: string

  @Field(() => Int, { nullable: true, description: 'How likely it is to be won, from 0 to 100 percent.' })
  @Between(0, 100)
  @Example(60)
  probability?: number | null

  @Field(() => DateOnly, { nullable: true, description: 'The day on which it is expected to be won.' })
  @Example('2026-02-27')
  expectedCloseDate?: string | null
}

@InputType({ description: 'A new opportunity.' })
export class CreateOpportunityInput extends OpportunityFields {
  @Field(() => String, { description: "The lead's full name, and the title unless another is given." })
  @MaxLength(255)
  @Example('Ana Souza')
  name!: string

  @Field(() => ID, {
    nullable: true,
    description: "The id of the pipeline; the stage's, else the default if left out.",
  })
  @RecordId()
  @Example(exampleId('Pipeline'))
  pipelineId?: string | null

  @Field(() => ID, { nullable: true, description: "The id of the stage; the pipeline's first if left out." })
  @RecordId()
  @Example(exampleId('Stage'))
  stageId?: string | null

  @Field(() => OpportunitySource, { nullable: true, description: 'Where it came from; `other` if left out.' })
  source?: OpportunitySource | null
}

@InputType({ description: 'What to change of an opportunity: a field left out stays, null or "" empties it.' })
export class UpdateOpportunityInput extends OpportunityFields {
  @Field(() => String, {
    nullable: true,
    description: "The lead's full name: of the contact, and as the title unless another is given.",
  })
  @MaxLength(255)
  @NotNull()
  @Example('Ana Souza')
  name?: string

  @Field(() => ID, { nullable: true, description: 'The id of the pipeline to move to; alone, to its first stage.' })
  @RecordId()
  @NotNull()
  @Example(exampleId('Pipeline'))
  pipelineId?: string

  @Field(() => ID, { nullable: true, description: 'The id of the stage to move to.' })
  @RecordId()
  @NotNull()
  @Example(exampleId('Stage'))
  stageId?: string

  @Field(() => OpportunitySource, { nullable: true, description: 'Where it came from.' })
  @NotNull()
  source?: OpportunitySource
}

@InputType({ description: 'Where an opportunity is to move to.' })
export class MoveOpportunityInput {
  @Field(() => ID, { description: 'The id of the stage, of whatever pipeline.' })
  @RecordId()
  @Example(exampleId('Stage'))
  stageId!: string

  @Field(() => ID, { nullable: true, description: 'The id of the reason of the loss; only with a loss stage.' })
  @RecordId()
  discardReasonId?: string | null

  @Field(() => String, { nullable: true, description: 'Why it was lost, in words; only with a loss stage.' })
  @MaxLength(20_000)
  lossReason?: string | null
}

/** What a list of opportunities can be sorted by. */
export enum OpportunitySortField {
  CREATED_AT = 'created_at',
  UPDATED_AT = 'updated_at',
  TITLE = 'title',
  VALUE = 'value',
}
registerEnumType(OpportunitySortField, {
  name: 'OpportunitySortField',
  description: 'What a list of opportunities can be sorted by.',
  valuesConfig: {
    CREATED_AT: { description: 'When the opportunity was created.' },
    UPDATED_AT: { description: 'When the opportunity last changed.' },
    TITLE: { description: 'The title, without regard to case and accents.' },
    VALUE: { description: 'What it is worth, whatever the currency.' },
  },
})
