import { ArgsType, Field, Int } from 'type-graphql'
import { DEFAULT_LIMIT } from '../shared/paging.js'
import { Example } from './documentation.js'
import { CURSOR_EXAMPLE } from './pagination.js'

/** Which part of a list is asked for. */
@ArgsType()
export class PageArgs {
  @Field(() => Int, { defaultValue: 1, description: 'The number of the page, from 1.' })
  page!: number

  @Field(() => Int, { defaultValue: DEFAULT_LIMIT, description: 'Records in a page, from 1 to 100.' })
  limit!: number

  @Field(() => String, {
    nullable: true,
    description:
      'The cursor that the page before came with; it goes on after the last record of that page. With the same filters ' +
      'and order only; the number of the page does not count then.',
  })
  @Example(CURSOR_EXAMPLE)
  cursor?: string | null
}

/** What the list of a catalogue takes. */
@ArgsType()
export class SearchArgs extends PageArgs {
  @Field(() => String, { nullable: true, description: 'Part of the name, without regard to case and accents.' })
  search?: string | null
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
