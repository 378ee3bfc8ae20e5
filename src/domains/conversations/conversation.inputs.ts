import { Field, ID, InputType } from 'type-graphql'
import { DateBoundScalar } from '../../kit/scalars.js'
import type { DateBound } from '../../shared/time.js'

@InputType({ description: 'Which conversations to list: those that meet every condition given.' })
export class ConversationFilter {
  @Field(() => ID, { nullable: true, description: 'The id of the contact.' })
  contactId?: string | null

  @Field(() => ID, { nullable: true, description: 'The id of the opportunity that they are about.' })
  opportunityId?: string | null

  @Field(() => ID, { nullable: true, description: 'The id of the campaign that they came from.' })
  campaignId?: string | null

  @Field(() => ID, { nullable: true, description: 'The id of the user who looks after them.' })
  assignedUserId?: string | null

  @Field(() => String, {
    nullable: true,
    description: 'Who answers: active, manual or closed, without regard to case; none has another.',
  })
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
