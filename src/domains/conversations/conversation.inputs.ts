import { Field, ID, InputType, registerEnumType } from 'type-graphql'
import { MaxLength, OneOf } from '../../kit/constraints.js'
import { Example, exampleId } from '../../kit/documentation.js'
import { DateBoundScalar } from '../../kit/scalars.js'
import { SortOrder } from '../../kit/sorting.js'
import type { DateBound } from '../../shared/time.js'
import { ConversationStatus } from './conversation.entity.js'

/** What a list of conversations can be sorted by. */
export enum ConversationSortField {
  CREATED_AT = 'created_at',
  UPDATED_AT = 'updated_at',
  LAST_MESSAGE_AT = 'last_message_at',
}
registerEnumType(ConversationSortField, {
  name: 'ConversationSortField',
  description: 'What a list of conversations can be sorted by.',
  valuesConfig: {
    CREATED_AT: { description: 'When the conversation was created.' },
    UPDATED_AT: { description: 'When the conversation last changed.' },
    LAST_MESSAGE_AT: { description: 'When the latest message was recorded.' },
  },
})

@InputType({ description: 'The order of a list of conversations.' })
export class ConversationSort {
  @Field(() => ConversationSortField, {
    nullable: true,
    description:
      'What to sort by; if left out, the creation, or the latest message where only conversations with one of some ' +
      'time or later are asked for.',
  })
  by?: ConversationSortField | null

  @Field(() => SortOrder, {
    nullable: true,
    description: 'In which direction; if left out, descending, or ascending where the filter tells what to sort by.',
  })
  order?: SortOrder | null
}

@InputType({ description: 'Which conversations to list: those that meet every condition given.' })
export class ConversationFilter {
  @Field(() => ID, { nullable: true, description: 'The id of the contact.' })
  contactId?: string | null

  @Field(() => ID, { nullable: true, description: 'The id of the opportunity that they are about.' })
  opportunityId?: string | null

  @Field(() => ID, { nullable: true, description: 'The id of the campaign that they came from.' })
  campaignId?: string | null

  @Field(() => ID, { nullable: true, description: 'The id of the user who looks after them.' })
  @Example(exampleId('User'))
  assignedUserId?: string | null

  @Field(() => String, {
    nullable: true,
    description: 'Who answers: active, manual or closed, without regard to case; none has another.',
  })
  @OneOf(ConversationStatus)
  status?: string | null

  @Field(() => String, { nullable: true, description: 'The channel, such as WHATSAPP, without regard to case.' })
  channel?: string | null

  @Field(() => Boolean, { nullable: true, description: 'Whether they are with a group.' })
  isGroup?: boolean | null

  @Field(() => DateBoundScalar, { nullable: true, description: 'Created at this time or later.' })
  createdAfter?: DateBound | null

  @Field(() => DateBoundScalar, { nullable: true, description: 'Created at this time or earlier.' })
  createdBefore?: DateBound | null

  @Field(() => DateBoundScalar, { nullable: true, description: 'Last changed at this time or later.' })
  updatedAfter?: DateBound | null

  @Field(() => DateBoundScalar, { nullable: true, description: 'Last changed at this time or earlier.' })
  updatedBefore?: DateBound | null

  @Field(() => DateBoundScalar, { nullable: true, description: 'With a latest message of this time or later.' })
  lastMessageAfter?: DateBound | null

  @Field(() => DateBoundScalar, { nullable: true, description: 'With a latest message of this time or earlier.' })
  lastMessageBefore?: DateBound | null
}

@InputType({ description: 'A message to the person or the group of a conversation.' })
export class SendMessageInput {
  @Field(() => String, { description: 'The text.' })
  @Example('Hello Ana, may I send you the proposal for the solar kit?')
  @MaxLength(4096)
  text!: string
}

@InputType({ description: 'A note on a conversation.' })
export class ConversationNoteInput {
  @Field(() => String, { description: 'The text.' })
  @Example('Wants a visit before the end of the month.')
  @MaxLength(20_000)
  content!: string
}
