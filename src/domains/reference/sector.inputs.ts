import { Field, InputType } from 'type-graphql'
import { HexColor, MaxLength, NotNull } from '../../kit/constraints.js'

/** What a new sector and a change of one have in common. */
@InputType()
abstract class SectorFields {
  @Field(() => String, { nullable: true, description: 'What the sector does.' })
  @MaxLength(20_000)
  description?: string | null

  @Field(() => String, { nullable: true, description: 'The colour to show it in, as #rgb or #rrggbb.' })
  @HexColor()
  color?: string | null

  @Field(() => Boolean, { nullable: true, description: 'Whether the sector is in use.' })
  @NotNull()
  isActive?: boolean
}

@InputType({ description: 'A new sector; in use unless said otherwise.' })
export class CreateSectorInput extends SectorFields {
  @Field(() => String, { description: 'The name; no other sector of the account may have it.' })
  @MaxLength(255)
  name!: string
}

@InputType({ description: 'What to change of a sector: a field left out stays, null or "" empties it.' })
export class UpdateSectorInput extends SectorFields {
  @Field(() => String, { nullable: true, description: 'The name; it cannot be emptied.' })
  @MaxLength(255)
  @NotNull()
  name?: string
}
