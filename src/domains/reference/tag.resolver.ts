import { Arg, Args, Ctx, Field, ID, Mutation, ObjectType, Query, Resolver } from 'type-graphql'
import type { Context } from '../../database/index.js'
import { DeletedRecord } from '../../kit/deleted.js'
import { MayFail } from '../../kit/documentation.js'
import { SearchArgs } from '../../kit/list-args.js'
import { Pagination } from '../../kit/pagination.js'
import { ReadWith, Requires } from '../../kit/permissions.js'
import { tagReads } from './records.reads.js'
import { tagWrites } from './records.service.js'
import { Tag } from './tag.entity.js'
import { CreateTagInput, UpdateTagInput } from './tag.inputs.js'

@ObjectType({ description: 'One page of a list of tags.', simpleResolvers: true })
@ReadWith('any')
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
  tags(@Ctx() context: Context, @Args(() => SearchArgs) asked: SearchArgs): Promise<TagPage> {
    return tagReads.list(context, { ...asked, filter: asked })
  }

  @Mutation(() => Tag, { description: 'Creates a tag; DUPLICATE_ERROR when another one of the account has its name.' })
  @Requires('tags:write')
  @MayFail('DUPLICATE_ERROR')
  createTag(
    @Ctx() { db }: Context,
    @Arg('input', () => CreateTagInput, { description: 'The new tag.' }) input: CreateTagInput,
  ): Promise<Tag> {
    return tagWrites.create(db, input)
  }

  @Mutation(() => Tag, { description: 'Changes the given fields of a tag, and thereby the contacts that carry it.' })
  @Requires('settings:write')
  @MayFail('NOT_FOUND', 'DUPLICATE_ERROR')
  updateTag(
    @Ctx() { db }: Context,
    @Arg('id', () => ID, { description: 'The id of the tag.' }) id: string,
    @Arg('input', () => UpdateTagInput, { description: 'What to change.' }) input: UpdateTagInput,
  ): Promise<Tag> {
    return tagWrites.update(db, id, input)
  }

  @Mutation(() => DeletedRecord, { description: 'Deletes a tag, and takes it off the contacts that carry it.' })
  @Requires('settings:write')
  @MayFail('NOT_FOUND')
  deleteTag(
    @Ctx() { db }: Context,
    @Arg('id', () => ID, { description: 'The id of the tag.' }) id: string,
  ): Promise<DeletedRecord> {
    return tagWrites.delete(db, id)
  }
}
