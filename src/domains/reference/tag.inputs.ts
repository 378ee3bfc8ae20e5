import { Field, InputType } from 'type-graphql'
import { HexColor, MaxLength, NotNull } from '../../kit/constraints.js'

@InputType({ description: 'A new tag.' })
export class CreateTagInput {
  @Field(() => String, { description: 'The name; no other tag of the account may have it.' })
  @MaxLength(255)
  name!: string

  @Field(() => String, { nullable: true, description: 'The colour, as #rgb or #rrggbb; a grey if left out.' })
  @HexColor()
  color?: string | null
}

@InputType({ description: 'What to change of a tag: a field left out stays.' })
export class UpdateTagInput {
  @Field(() => String, { nullable: true, description: 'The name; it cannot be emptied.' })
  @MaxLength(255)
  @NotNull()
  name?: string

  @Field(() => String, { nullable: true, description: 'The colour, as #rgb or #rrggbb; it cannot be emptied.' })
  @HexColor()
  @NotNull()
  color?: string
}
