import { Field, ID, InputType, registerEnumType } from 'type-graphql'
import { EmailAddress, MaxLength, NotNull, RecordId } from '../../kit/constraints.js'
import { Example, exampleId } from '../../kit/documentation.js'
import { ExtractedContactsInput } from '../../kit/extracted-contacts.js'
import { DateBoundScalar, JSONObject } from '../../kit/scalars.js'
import { SortOrder } from '../../kit/sorting.js'
import type { DateBound } from '../../shared/time.js'

/** What a list of contacts can be sorted by. */
export enum ContactSortField {
  CREATED_AT = 'created_at',
  UPDATED_AT = 'updated_at',
  NAME = 'name',
  COMPANY = 'company',
  LAST_INTERACTION = 'last_interaction',
}
registerEnumType(ContactSortField, {
  name: 'ContactSortField',
  description: 'What a list of contacts can be sorted by.',
  valuesConfig: {
    CREATED_AT: { description: 'When the contact was created.' },
    UPDATED_AT: { description: 'When the contact last changed.' },
    NAME: { description: 'The name, without regard to case and accents.' },
    COMPANY: { description: 'The company, without regard to case and accents.' },
    LAST_INTERACTION: { description: 'When something last happened with the contact.' },
  },
})

@InputType({ description: 'The order of a list of contacts.' })
export class ContactSort {
  @Field(() => ContactSortField, { nullable: true, description: 'What to sort by; the creation if left out.' })
  by?: ContactSortField | null

  @Field(() => SortOrder, { nullable: true, description: 'In which direction; descending if left out.' })
  order?: SortOrder | null
}

@InputType({ description: 'Which contacts to list: those that meet every condition given.' })
export class ContactFilter {
  @Field(() => String, {
    nullable: true,
    description: 'Part of the name, email or company, without regard to case and accents.',
  })
  search?: string | null

  @Field(() => String, { nullable: true, description: 'Part of the company, without regard to case and accents.' })
  company?: string | null

  @Field(() => String, { nullable: true, description: 'Part of the email address, without regard to case.' })
  email?: string | null

  @Field(() => String, { nullable: true, description: 'Part of the phone number; only its digits count.' })
  phone?: string | null

  @Field(() => String, { nullable: true, description: 'The whole source, without regard to case.' })
  source?: string | null

  @Field(() => [ID], { nullable: true, description: 'Ids of tags of which the contact carries at least one.' })
  tagIds?: string[] | null

  @Field(() => DateBoundScalar, { nullable: true, description: 'Created at this time or later.' })
  createdAfter?: DateBound | null

  @Field(() => DateBoundScalar, { nullable: true, description: 'Created at this time or earlier.' })
  createdBefore?: DateBound | null

  @Field(() => DateBoundScalar, { nullable: true, description: 'Last changed at this time or later.' })
  updatedAfter?: DateBound | null

  @Field(() => DateBoundScalar, { nullable: true, description: 'Last changed at this time or earlier.' })
  updatedBefore?: DateBound | null
}

/** What a new contact and a change of one have in common: all that may be empty. */
@InputType()
abstract class ContactFields {
  @Field(() => String, {
    nullable: true,
    description: 'The email address; no other contact of the account may have it.',
  })
  @EmailAddress()
  @Example('ana.souza@example.com')
  email?: string | null

  @Field(() => String, { nullable: true, description: 'The phone number, best with its country code.' })
  @MaxLength(40)
  @Example('+5511987654321')
  phone?: string | null

  @Field(() => String, { nullable: true, description: 'The company that the person works for.' })
  @MaxLength(255)
  @Example('Aurora Energia')
  company?: string | null

  @Field(() => String, { nullable: true, description: 'The job title.' })
  @MaxLength(255)
  @Example('Head of Sales')
  title?: string | null

  @Field(() => String, { nullable: true, description: 'Where the person is.' })
  @MaxLength(255)
  @Example('São Paulo')
  location?: string | null

  @Field(() => String, { nullable: true, description: "The address of the person's LinkedIn profile." })
  @MaxLength(2048)
  @Example('https://www.linkedin.com/in/ana-souza')
  linkedinProfileUrl?: string | null

  @Field(() => String, { nullable: true, description: 'The line under the name in a profile.' })
  @MaxLength(255)
  @Example('Building sales teams')
  headline?: string | null

  @Field(() => String, { nullable: true, description: 'What the person says of themselves in a profile.' })
  @MaxLength(20_000)
  @Example('Fifteen years in renewable energy.')
  about?: string | null

  @Field(() => String, { nullable: true, description: "The address of the person's picture." })
  @MaxLength(2048)
  @Example('https://example.com/ana.jpg')
  profilePicture?: string | null

  @Field(() => ExtractedContactsInput, { nullable: true, description: 'Addresses and numbers found in a profile.' })
  extractedContacts?: ExtractedContactsInput | null

  @Field(() => [ID], {
    nullable: true,
    description: 'Ids of the tags that the contact is to carry; these and no others.',
  })
  @RecordId()
  @Example([exampleId('Tag')])
  tagIds?: string[] | null

  @Field(() => JSONObject, { nullable: true, description: "The account's own fields, at most 64 KiB as JSON." })
  @Example({ segment: 'SMB', employees: 40 })
  customFields?: Record<string, unknown> | null
}

@InputType({ description: 'A new contact.' })
export class CreateContactInput extends ContactFields {
  @Field(() => String, { description: 'The full name.' })
  @MaxLength(255)
  @Example('Ana Souza')
  name!: string

  @Field(() => String, { nullable: true, description: 'Where the lead came from; `api` if left out.' })
  @MaxLength(255)
  @Example('linkedin')
  source?: string | null
}

@InputType({ description: 'What to change of a contact: a field left out stays, null or "" empties it.' })
export class UpdateContactInput extends ContactFields {
  @Field(() => String, { nullable: true, description: 'The full name; it cannot be emptied.' })
  @MaxLength(255)
  @NotNull()
  @Example('Ana Souza')
  name?: string

  @Field(() => String, { nullable: true, description: 'Where the lead came from; it cannot be emptied.' })
  @MaxLength(255)
  @NotNull()
  @Example('linkedin')
  source?: string
}
