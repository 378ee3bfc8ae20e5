import { Field, InputType, Int } from 'type-graphql'
import { AtLeast, MaxLength, NotNull, OneOf } from '../../kit/constraints.js'
import { Example } from '../../kit/documentation.js'
import { ExtractedContactsInput } from '../../kit/extracted-contacts.js'
import { InstagramAgentStatus } from './instagram.entity.js'

@InputType({ description: 'Which collection agents to list: those that meet every condition given.' })
export class InstagramAgentFilter {
  @Field(() => String, { nullable: true, description: 'What they are doing, without regard to case; such as active.' })
  @OneOf(InstagramAgentStatus)
  status?: string | null
}

/** What a new agent and a change of one have in common: all but the name. */
@InputType()
abstract class InstagramAgentFields {
  @Field(() => String, { nullable: true, description: 'What the agent is for.' })
  @MaxLength(20_000)
  description?: string | null

  @Field(() => String, { nullable: true, description: 'What it looks for.' })
  @MaxLength(255)
  searchNiche?: string | null

  @Field(() => String, { nullable: true, description: 'Where it looks.' })
  @MaxLength(255)
  searchLocation?: string | null

  @Field(() => InstagramAgentStatus, { nullable: true, description: 'What it is doing; a new one is active.' })
  @NotNull()
  status?: InstagramAgentStatus

  @Field(() => Int, {
    nullable: true,
    description: 'How many profiles it takes at most, from 1; no limit if empty. What it holds already stays.',
  })
  @AtLeast(1)
  totalLimit?: number | null
}

@InputType({ description: 'A new collection agent.' })
export class CreateInstagramAgentInput extends InstagramAgentFields {
  @Field(() => String, { description: 'The name.' })
  @MaxLength(255)
  name!: string
}

@InputType({ description: 'What to change of a collection agent: a field left out stays, null or "" empties it.' })
export class UpdateInstagramAgentInput extends InstagramAgentFields {
  @Field(() => String, { nullable: true, description: 'The name; it cannot be emptied.' })
  @MaxLength(255)
  @NotNull()
  name?: string
}

@InputType({ description: 'A profile that was found on Instagram.' })
export class InstagramProfileInput {
  @Field(() => String, { description: 'The name of the profile; a leading @ and the case do not count.' })
  @MaxLength(255)
  @Example('atelier.rio')
  username!: string

  @Field(() => String, { nullable: true, description: 'The name that the profile shows; its username if left out.' })
  @MaxLength(255)
  @Example('Atelier Rio')
  displayName?: string | null

  @Field(() => String, { nullable: true, description: 'The address of the profile; the one at Instagram if left out.' })
  @MaxLength(2048)
  @Example('https://www.instagram.com/atelier.rio/')
  profileUrl?: string | null

  @Field(() => String, { nullable: true, description: 'What the profile says of itself.' })
  @MaxLength(20_000)
  @Example('Architecture and interiors.')
  bio?: string | null

  @Field(() => String, { nullable: true, description: 'The address that the profile links to.' })
  @MaxLength(2048)
  @Example('https://atelier-rio.example')
  externalUrl?: string | null

  @Field(() => Int, { nullable: true, description: 'How many follow it.' })
  @AtLeast(0)
  @Example(5400)
  followersCount?: number | null

  @Field(() => Int, { nullable: true, description: 'How many it follows.' })
  @AtLeast(0)
  @Example(310)
  followingCount?: number | null

  @Field(() => Int, { nullable: true, description: 'How many posts it has.' })
  @AtLeast(0)
  @Example(220)
  postsCount?: number | null

  @Field(() => ExtractedContactsInput, { nullable: true, description: 'Addresses and numbers found in the profile.' })
  extractedContacts?: ExtractedContactsInput | null
}
