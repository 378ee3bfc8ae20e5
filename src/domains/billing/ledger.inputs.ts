import { Field, ID, InputType } from 'type-graphql'
import { RecordId } from '../../kit/constraints.js'
import { DateBoundScalar } from '../../kit/scalars.js'
import type { DateBound } from '../../shared/time.js'

@InputType({ description: 'Which lines of the ledger to list: those that meet every condition given.' })
export class LedgerFilter {
  @Field(() => ID, { nullable: true, description: 'Only those of this agency.' })
  @RecordId()
  agencyId?: string | null

  @Field(() => ID, { nullable: true, description: 'Only those about seats of this sub-account.' })
  @RecordId()
  subAccountId?: string | null

  @Field(() => String, {
    nullable: true,
    description: 'What they stand for: seats, renewal, payment, refund or carried.',
  })
  kind?: string | null

  @Field(() => DateBoundScalar, { nullable: true, description: 'The earliest time, inclusive.' })
  from?: DateBound | null

  @Field(() => DateBoundScalar, { nullable: true, description: 'The latest time, inclusive.' })
  to?: DateBound | null
}
