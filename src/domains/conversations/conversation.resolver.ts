import type { GraphQLResolveInfo } from 'graphql'
import { Arg, Args, Ctx, Field, FieldResolver, ID, Info, Int, ObjectType, Query, Resolver, Root } from 'type-graphql'
import { type Context, perRequest } from '../../database/index.js'
import { MayFail } from '../../kit/documentation.js'
import { PageArgs } from '../../kit/list-args.js'
import { Pagination } from '../../kit/pagination.js'
import { ReadWith, Requires } from '../../kit/permissions.js'
import type { PageOf } from '../../kit/reads/index.js'
import { below, selectionOf } from '../../kit/selection.js'
import { notFound } from '../../shared/errors.js'
import { Conversation } from './conversation.entity.js'
import { ConversationFilter, ConversationSort } from './conversation.inputs.js'
import { type ConversationRow, conversationReads } from './conversation.reads.js'
import { ConversationNote } from './conversation-note.entity.js'
import { Message } from './message.entity.js'
import { findMessage, messagesLoader, notesLoader } from './message.loaders.js'

@ObjectType({ description: 'One page of a list of conversations.', simpleResolvers: true })
@ReadWith('any')
export class ConversationPage {
  @Field(() => [Conversation], { description: 'The conversations of the page.' })
  items!: Conversation[]

  @Field(() => Pagination, { description: 'Where the page stands in the list.' })
  pagination!: Pagination
}

@Resolver(() => Conversation)
export class ConversationResolver {
  @Query(() => ConversationPage, { description: "The account's conversations, newest first unless sorted otherwise." })
  @Requires('conversations:read')
  conversations(
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('filter', () => ConversationFilter, {
      nullable: true,
      description: 'Which conversations to list; all if left out.',
    })
    filter: ConversationFilter | null,
    @Arg('sort', () => ConversationSort, { nullable: true, description: 'The order of the list.' })
    sort: ConversationSort | null,
    @Args(() => PageArgs) paging: PageArgs,
  ): Promise<PageOf<ConversationRow>> {
    return conversationReads.list(context, { filter, sort, ...paging }, below(selectionOf(info), 'items'))
  }

  @Query(() => Conversation, {
    nullable: true,
    description: 'One conversation of the account; NOT_FOUND where there is none.',
  })
  @Requires('conversations:read')
  @MayFail('NOT_FOUND')
  async conversation(
    @Ctx() { db }: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID, { description: 'The id of the conversation.' }) id: string,
  ): Promise<ConversationRow> {
    const conversation = await conversationReads.find(db, id, selectionOf(info))
    if (!conversation) throw notFound('conversation')
    return conversation
  }

  @Query(() => Message, {
    nullable: true,
    description: 'One message, with what became of it; NOT_FOUND where there is none.',
  })
  @Requires('conversations:read')
  @MayFail('NOT_FOUND')
  async message(
    @Ctx() { db }: Context,
    @Arg('id', () => ID, { description: 'The id of the message.' }) id: string,
  ): Promise<Message> {
    const message = await findMessage(db, id)
    if (!message) throw notFound('message')
    return message
  }

  @FieldResolver(() => [Message], { description: 'The newest messages, oldest of them first.' })
  messages(
    @Root() { id }: ConversationRow,
    @Ctx() context: Context,
    @Arg('limit', () => Int, { defaultValue: 200, description: 'How many messages at most, from 1 to 500.' })
    limit: number,
  ): Promise<Message[]> {
    return perRequest(context, messagesLoader).load(id, limit)
  }

  @FieldResolver(() => [ConversationNote], { description: 'What people noted of it, oldest first.' })
  notes(@Root() { id }: ConversationRow, @Ctx() context: Context): Promise<ConversationNote[]> {
    return perRequest(context, notesLoader).load(id)
  }
}
