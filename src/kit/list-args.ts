import { ArgsType, Field, Int } from 'type-graphql'
import { DEFAULT_LIMIT } from '../shared/paging.js'

/** What the list of a catalogue takes. */
@ArgsType()
export class SearchArgs {
  @Field(() => String, { nullable: true, description: 'Part of the name, without regard to case and accents.' })
  search?: string | null

  @Field(() => Int, { defaultValue: 1, description: 'The number of the page, from 1.' })
  page!: number

  @Field(() => Int, { defaultValue: DEFAULT_LIMIT, description: 'Records in a page, from 1 to 100.' })
  limit!: number
}

/** The same where records can be out of use. */
@ArgsType()
export class ActiveSearchArgs extends SearchArgs {
  @Field(() => Boolean, {
    nullable: true,
    description: 'Only those in use, or only those out of use; all if left out.',
  })
  isActive?: boolean | null
}
