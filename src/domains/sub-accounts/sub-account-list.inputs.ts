import { Field, ID, InputType, registerEnumType } from 'type-graphql'
import { NotNull, RecordId } from '../../kit/constraints.js'
import { DateBoundScalar } from '../../kit/scalars.js'
import { SortOrder } from '../../kit/sorting.js'
import type { DateBound } from '../../shared/time.js'
import { SubAccountStatus } from './sub-account.entity.js'

/** What a list of sub-accounts can be sorted by. */
export enum SubAccountSortField {
  CREATED_AT = 'created_at',
  TRIAL_ENDS_AT = 'trial_ends_at',
}
registerEnumType(SubAccountSortField, {
  name: 'SubAccountSortField',
  description: 'What a list of sub-accounts can be sorted by.',
  valuesConfig: {
    CREATED_AT: { description: 'When they were created.' },
    TRIAL_ENDS_AT: { description: 'When their trial ends; those in none come last.' },
  },
})

@InputType({ description: 'In which order to list sub-accounts.' })
export class SubAccountSort {
  @Field(() => SubAccountSortField, { nullable: true, description: 'By what; by their creation if left out.' })
  by?: SubAccountSortField | null

  @Field(() => SortOrder, { nullable: true, description: 'In which direction; descending if left out.' })
  order?: SortOrder | null
}

@InputType({ description: 'Which sub-accounts to list: those that meet every condition given.' })
export class SubAccountFilter {
  @Field(() => ID, { nullable: true, description: 'Only those of this agency.' })
  @RecordId()
  agencyId?: string | null

  @Field(() => SubAccountStatus, { defaultValue: SubAccountStatus.ACTIVE, description: 'Where they stand.' })
  @NotNull()
  status?: SubAccountStatus

  @Field(() => Boolean, { nullable: true, description: 'Only those in their trial, or only those in none.' })
  inTrial?: boolean | null

  @Field(() => String, { nullable: true, description: 'Part of the name, without regard to case and accents.' })
  search?: string | null

  @Field(() => String, { nullable: true, description: "How the agency's own program calls it." })
  externalRef?: string | null

  @Field(() => DateBoundScalar, { nullable: true, description: 'The earliest creation, inclusive.' })
  createdAfter?: DateBound | null

  @Field(() => DateBoundScalar, { nullable: true, description: 'The latest creation, inclusive.' })
  createdBefore?: DateBound | null
}
