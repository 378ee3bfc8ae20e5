import { Field, InputType, Int } from 'type-graphql'
import { MaxLength, NotNull } from '../../kit/constraints.js'

/** What a new discard reason and a change of one have in common. */
@InputType()
abstract class DiscardReasonFields {
  @Field(() => String, { nullable: true, description: 'When the reason applies.' })
  @MaxLength(20_000)
  description?: string | null

  @Field(() => Boolean, { nullable: true, description: 'Whether the reason is in use.' })
  @NotNull()
  isActive?: boolean

  @Field(() => Int, { nullable: true, description: 'The place in the list, smallest first; equal ones go by name.' })
  @NotNull()
  displayOrder?: number
}

@InputType({ description: 'A new discard reason; in use and at place 0 unless said otherwise.' })
export class CreateDiscardReasonInput extends DiscardReasonFields {
  @Field(() => String, { description: 'The name; no other reason of the account may have it.' })
  @MaxLength(255)
  name!: string
}

@InputType({ description: 'What to change of a discard reason: a field left out stays, null or "" empties it.' })
export class UpdateDiscardReasonInput extends DiscardReasonFields {
  @Field(() => String, { nullable: true, description: 'The name; it cannot be emptied.' })
  @MaxLength(255)
  @NotNull()
  name?: string
}
