import { Field, ID, InputType } from 'type-graphql'
import { EmailAddress, MaxLength, NotNull, OneOf, RecordId } from '../../kit/constraints.js'
import { Example } from '../../kit/documentation.js'
import { ExtractedContactsInput } from '../../kit/extracted-contacts.js'
import { CampaignStatus } from './campaign.entity.js'

@InputType({ description: 'Which campaigns to list: those that meet every condition given.' })
export class CampaignFilter {
  @Field(() => String, { nullable: true, description: 'How far they are, without regard to case; such as active.' })
  @OneOf(CampaignStatus)
  status?: string | null

  @Field(() => String, { nullable: true, description: 'Part of the name, without regard to case and accents.' })
  search?: string | null
}

/** What a new campaign and a change of one have in common: all but the name. */
@InputType()
abstract class CampaignFields {
  @Field(() => String, { nullable: true, description: 'What the campaign is about.' })
  @MaxLength(20_000)
  description?: string | null

  @Field(() => CampaignStatus, { nullable: true, description: 'How far the campaign is; a new one is a draft.' })
  @NotNull()
  status?: CampaignStatus

  @Field(() => String, { nullable: true, description: 'The channel that it runs through, such as linkedin.' })
  @MaxLength(32)
  channel?: string | null

  @Field(() => Boolean, { nullable: true, description: 'Whether steps of the campaign happen by themselves.' })
  @NotNull()
  automationActive?: boolean

  @Field(() => ID, { nullable: true, description: 'The id of the sector that the campaign belongs to.' })
  @RecordId()
  sectorId?: string | null

  @Field(() => ID, {
    nullable: true,
    description: 'The id of an active user who owns its opportunities where no rule names another.',
  })
  @RecordId()
  defaultResponsibleId?: string | null
}

@InputType({ description: 'A new campaign.' })
export class CreateCampaignInput extends CampaignFields {
  @Field(() => String, { description: 'The name.' })
  @MaxLength(255)
  name!: string
}

@InputType({ description: 'What to change of a campaign: a field left out stays, null or "" empties it.' })
export class UpdateCampaignInput extends CampaignFields {
  @Field(() => String, { nullable: true, description: 'The name; it cannot be emptied.' })
  @MaxLength(255)
  @NotNull()
  name?: string
}

@InputType({ description: 'A person for a campaign, who may be a contact already.' })
export class CampaignContactInput {
  @Field(() => String, { description: 'The full name.' })
  @MaxLength(255)
  @Example('Ana Souza')
  name!: string

  @Field(() => String, {
    description: "The address of the person's LinkedIn profile, by which a contact who exists is found first.",
  })
  @MaxLength(2048)
  @Example('https://www.linkedin.com/in/ana-souza')
  linkedinProfileUrl!: string

  @Field(() => String, { nullable: true, description: 'The job title.' })
  @MaxLength(255)
  @Example('Head of Sales')
  title?: string | null

  @Field(() => String, { nullable: true, description: 'The company that the person works for.' })
  @MaxLength(255)
  @Example('Aurora Energia')
  company?: string | null

  @Field(() => String, { nullable: true, description: 'Where the person is.' })
  @MaxLength(255)
  @Example('São Paulo')
  location?: string | null

  @Field(() => String, {
    nullable: true,
    description: 'The email address, by which a contact who exists is found next; the first extracted one if left out.',
  })
  @EmailAddress()
  @Example('ana.souza@example.com')
  email?: string | null

  @Field(() => String, {
    nullable: true,
    description: 'The phone number, best with its country code; the first extracted one if left out.',
  })
  @MaxLength(40)
  @Example('+5511987654321')
  phone?: string | null

  @Field(() => String, { nullable: true, description: 'What the person says of themselves in the profile.' })
  @MaxLength(20_000)
  @Example('Fifteen years in renewable energy.')
  about?: string | null

  @Field(() => String, { nullable: true, description: "The address of the person's picture." })
  @MaxLength(2048)
  @Example('https://example.com/ana.jpg')
  profilePicture?: string | null

  @Field(() => ExtractedContactsInput, { nullable: true, description: 'Addresses and numbers found in the profile.' })
  extractedContacts?: ExtractedContactsInput | null
}
