import { Field, ID, InputType } from 'type-graphql'
import { MaxLength } from '../../kit/constraints.js'
import { DateBoundScalar } from '../../kit/scalars.js'
import type { DateBound } from '../../shared/time.js'

@InputType({ description: 'Which entries of the audit to list: those that meet every condition given.' })
export class AuditFilter {
  @Field(() => String, { nullable: true, description: 'What was done, such as deleted; without regard to case.' })
  @MaxLength(32)
  action?: string | null

  @Field(() => String, { nullable: true, description: 'The kind of record, such as contact; without regard to case.' })
  @MaxLength(32)
  subjectKind?: string | null

  @Field(() => ID, { nullable: true, description: 'The id of the record that something was done to.' })
  subjectId?: string | null

  @Field(() => String, { nullable: true, description: 'What acted: api_key, session, command, system or unknown.' })
  @MaxLength(16)
  actorKind?: string | null

  @Field(() => ID, {
    nullable: true,
    description: 'The id of the key or session that acted, or of the user behind it.',
  })
  actorId?: string | null

  @Field(() => String, {
    nullable: true,
    description: 'The tool by which an AI assistant acted, such as delete_contact; without regard to case.',
  })
  @MaxLength(64)
  tool?: string | null

  @Field(() => DateBoundScalar, { nullable: true, description: 'The earliest time, inclusive.' })
  from?: DateBound | null

  @Field(() => DateBoundScalar, { nullable: true, description: 'The latest time, inclusive.' })
  to?: DateBound | null
}
