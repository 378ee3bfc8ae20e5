import { defineFact } from '../../database/index.js'

/**
 * A person has written: the message is stored, its conversation held, and so is its contact; a group has none. Whoever
 * waits for a reply hears it so.
 */
export const messageReceived = defineFact<{ messageId: string; conversationId: string; contactId: string | null }>(
  'messageReceived',
  'conversationId',
)

/**
 * A conversation that is held has just lost its contact, who is being deleted, and all that tells of the person; one of a
 * group no longer knows which group, that of the channel account, it was with.
 */
export const conversationErased = defineFact<{
  conversationId: string
  channelAccountId: string | null
  groupId: string | null
}>('conversationErased', 'conversationId')
