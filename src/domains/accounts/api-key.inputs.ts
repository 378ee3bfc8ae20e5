import { Field, ID, InputType, Int } from 'type-graphql'
import { Between, MaxLength, NotNull, RecordId } from '../../kit/constraints.js'
import { DateTime } from '../../kit/scalars.js'

/** The largest allowance that an hour can have. */
export const MAX_RATE_LIMIT = 2_147_483_647

/** How long a rotated key may go on, in seconds: 30 days at most. */
const MAX_OVERLAP = 2_592_000
/** The overlap where none was chosen. */
export const DEFAULT_OVERLAP = 86_400

@InputType({ description: 'A new key. It may do no more, and live no longer, than whoever makes it.' })
export class CreateApiKeyInput {
  @Field(() => String, { description: 'What the key is for.' })
  @MaxLength(255)
  name!: string

  @Field(() => [String], {
    description:
      'What it may do: permissions, `resource:*` or `*`. The permissions of admins alone are in no wildcard, and only an ' +
      'admin in a session can name them.',
  })
  @MaxLength(64)
  permissions!: string[]

  @Field(() => Int, {
    nullable: true,
    description: 'Requests an hour; 1000, or what the key that makes it may, if that is less.',
  })
  @Between(1, MAX_RATE_LIMIT)
  @NotNull()
  rateLimit?: number

  @Field(() => DateTime, {
    nullable: true,
    description: 'When it ends by itself; never if left out, or with the key that makes it.',
  })
  expiresAt?: Date | null
}

@InputType({ description: 'How a key is replaced.' })
export class RotateApiKeyInput {
  @Field(() => Int, {
    defaultValue: DEFAULT_OVERLAP,
    description: 'For how many seconds the old key goes on; 0 ends it at once.',
  })
  @Between(0, MAX_OVERLAP)
  overlapSeconds!: number

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the new key ends by itself; when the old one would have, if left out.',
  })
  expiresAt?: Date | null
}

@InputType({ description: 'Which keys to list: those that meet every condition given.' })
export class ApiKeyFilter {
  @Field(() => Boolean, { nullable: true, description: 'Only those in force, or only those that have ended.' })
  isActive?: boolean | null

  @Field(() => ID, { nullable: true, description: 'Only those that this key or user made.' })
  @RecordId()
  createdById?: string | null
}
