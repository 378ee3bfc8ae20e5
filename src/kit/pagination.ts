import { Field, Int, ObjectType } from 'type-graphql'
import type { Pagination as Place } from '../shared/paging.js'
import { AtLeast } from './constraints.js'
import { Example, ExampleRecords } from './documentation.js'
import { ReadWith } from './permissions.js'

/** What a cursor looks like. */
export const CURSOR_EXAMPLE =
  'rLkW6E-iBKvtZZP18ho7ZVsxLDEsMSwzLCIwMTliZGFkMi0xYTIwLTdhNGMtOWQ0ZS0zYjFmNmMyYThlNTciLCIyMDI2LTAxLTIwVDEwOjE1OjAwLjAwMFoiXQ'

@ObjectType({ description: 'Where a page stands in its list.', simpleResolvers: true })
@ReadWith('any')
@ExampleRecords({ page: 1, perPage: 1, total: 3, totalPages: 3, hasNext: true, hasPrev: false })
export class Pagination implements Place {
  @Field(() => Int, { description: 'The number of this page, from 1.' })
  @AtLeast(1)
  page!: number

  @Field(() => Int, { description: 'How many records a page holds at most.' })
  @AtLeast(1)
  perPage!: number

  @Field(() => Int, { description: 'How many records match in all.' })
  @AtLeast(0)
  total!: number

  @Field(() => Int, { description: 'How many pages the matching records fill.' })
  @AtLeast(0)
  totalPages!: number

  @Field(() => Boolean, { description: 'Whether a later page has records.' })
  hasNext!: boolean

  @Field(() => Boolean, { description: 'Whether there is an earlier page.' })
  hasPrev!: boolean

  @Field(() => String, {
    nullable: true,
    description:
      'The cursor of the next page, which goes on after the last record of this one; null where there is none.',
  })
  @Example(CURSOR_EXAMPLE)
  nextCursor!: string | null
}
