import { Arg, Ctx, Field, Int, ObjectType, Query, Resolver } from 'type-graphql'
import type { Context } from '../../database/index.js'
import { DEFAULT_LIMIT, Pagination } from '../../shared/paging.js'
import { Requires } from '../../shared/permissions.js'
import { Tag } from './tag.entity.js'
import { listTags, type TagPageRows } from './tag.reads.js'

@ObjectType({ description: 'One page of a list of tags.', simpleResolvers: true })
export class TagPage {
  @Field(() => [Tag], { description: 'The tags of the page.' })
  items!: Tag[]

  @Field(() => Pagination, { description: 'Where the page stands in the list.' })
  pagination!: Pagination
}

@Resolver()
export class TagResolver {
  @Query(() => TagPage, { description: "The account's tags, by name." })
  @Requires('tags:read')
  tags(
    @Ctx() { db }: Context,
    @Arg('search', () => String, {
      nullable: true,
      description: 'Part of the name, without regard to case and accents.',
    })
    search: string | null,
    @Arg('page', () => Int, { defaultValue: 1, description: 'The number of the page, from 1.' })
    page: number,
    @Arg('limit', () => Int, { defaultValue: DEFAULT_LIMIT, description: 'Tags in a page, from 1 to 100.' })
    limit: number,
  ): Promise<TagPageRows> {
    return listTags(db, { search, page, limit })
  }
}
