import type { GraphQLResolveInfo } from 'graphql'
import { Arg, Ctx, ID, Info, Mutation, Resolver } from 'type-graphql'
import type { Context } from '../../database/index.js'
import { MayFail } from '../../kit/documentation.js'
import { Requires } from '../../kit/permissions.js'
import { selectionOf } from '../../kit/selection.js'
import { Conversation } from './conversation.entity.js'
import { ConversationNoteInput, SendMessageInput } from './conversation.inputs.js'
import type { ConversationRow } from './conversation.reads.js'
import { ConversationNote } from './conversation-note.entity.js'
import { Message } from './message.entity.js'
import { SENDING_ERRORS } from './sending-errors.service.js'
import { addConversationNote, assign, closeConversation, handBack, sendMessage, takeOver } from './talk.service.js'

const { CHANNEL_UNAVAILABLE, CONTACT_UNREACHABLE, WINDOW_CLOSED, TOO_MANY_WAITING } = SENDING_ERRORS
const ID_OF = { description: 'The id of the conversation.' }

/** What people do in conversations. */
@Resolver()
export class ConversationTalkResolver {
  @Mutation(() => Message, {
    description:
      'Sends a message as a person, who has the conversation from then on. It is stored, and its status says what became of it.',
  })
  @Requires('conversations:write')
  @MayFail('NOT_FOUND', CHANNEL_UNAVAILABLE, CONTACT_UNREACHABLE, WINDOW_CLOSED, TOO_MANY_WAITING)
  sendMessage(
    @Ctx() { db }: Context,
    @Arg('conversationId', () => ID, ID_OF) conversationId: string,
    @Arg('input', () => SendMessageInput, { description: 'The message.' }) input: SendMessageInput,
  ): Promise<Message> {
    return sendMessage(db, conversationId, input)
  }

  @Mutation(() => ConversationNote, {
    description: 'Notes something on a conversation, for the people of the account.',
  })
  @Requires('conversations:write')
  @MayFail('NOT_FOUND')
  addConversationNote(
    @Ctx() { db }: Context,
    @Arg('conversationId', () => ID, ID_OF) conversationId: string,
    @Arg('input', () => ConversationNoteInput, { description: 'The note.' }) input: ConversationNoteInput,
  ): Promise<ConversationNote> {
    return addConversationNote(db, conversationId, input)
  }

  @Mutation(() => Conversation, {
    description: 'Takes a conversation over from its agent, which writes no more in it.',
  })
  @Requires('conversations:write')
  @MayFail('NOT_FOUND')
  takeOverConversation(
    @Ctx() { db }: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID, ID_OF) id: string,
  ): Promise<ConversationRow> {
    return takeOver(db, id, selectionOf(info))
  }

  @Mutation(() => Conversation, {
    description: 'Hands a conversation back to its agent, which answers what comes next.',
  })
  @Requires('conversations:write')
  @MayFail('NOT_FOUND')
  handBackConversation(
    @Ctx() { db }: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID, ID_OF) id: string,
  ): Promise<ConversationRow> {
    return handBack(db, id, selectionOf(info))
  }

  @Mutation(() => Conversation, { description: 'Has a user look after a conversation, or nobody.' })
  @Requires('conversations:write')
  @MayFail('NOT_FOUND')
  assignConversation(
    @Ctx() { db }: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID, ID_OF) id: string,
    @Arg('userId', () => ID, { nullable: true, description: 'The id of the user; nobody if left out.' })
    userId: string | null,
  ): Promise<ConversationRow> {
    return assign(db, id, userId, selectionOf(info))
  }

  @Mutation(() => Conversation, {
    description: 'Ends a conversation. It is open again as soon as somebody writes in it.',
  })
  @Requires('conversations:write')
  @MayFail('NOT_FOUND')
  closeConversation(
    @Ctx() { db }: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID, ID_OF) id: string,
  ): Promise<ConversationRow> {
    return closeConversation(db, id, selectionOf(info))
  }
}
