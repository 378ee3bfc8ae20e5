import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import type { Template } from '../../integrations/channels/index.js'
import { newId } from '../../shared/ids.js'
import { noteInteraction } from '../contacts/index.js'
import type { HeldConversation } from './hold.service.js'
import type { SenderType } from './message.entity.js'

/** A message that the account is to send. */
export interface NewMessage {
  senderType: SenderType.AI | SenderType.USER
  content: string
  template?: Template | null
  userId?: string | null
  aiAgentId?: string | null
}

const store = new Statement<never>(
  sql<never>`insert into message (id, account_id, conversation_id, sender_type, content, channel, kind, status, due_at, sent_at,
      user_id, ai_agent_id, channel_account_id, template)
    values (${param('id')}, ${param('account')}, ${param('conversationId')}, ${param('senderType')}, ${param('content')},
      ${param('channel')}, ${param('kind')}, 'queued', clock_timestamp(), date_trunc('milliseconds', clock_timestamp()),
      ${param('userId')}, ${param('aiAgentId')}, ${param('channelAccountId')}, ${param('template')}::jsonb)`,
  { prepared: true },
)
const touch = new Statement<never>(
  sql<never>`update conversation set last_message_at = 'infinity'
    where account_id = ${param('account')} and id = ${param('conversationId')}`,
  { prepared: true },
)

/** Stores a message of a conversation that is held, with its contact; the commit puts it into the queue. Returns its id. */
export async function queueMessage(db: Scope, held: HeldConversation, message: NewMessage): Promise<string> {
  const id = newId()
  const { senderType, content, template = null, userId = null, aiAgentId = null } = message
  const { channel, channelAccountId, contactId } = held
  const kind = template ? 'template' : 'text'
  const what = { senderType, content, kind, template: template && JSON.stringify(template), userId, aiAgentId }
  db.send(store, { id, conversationId: held.id, channel, channelAccountId, ...what })
  db.send(touch, { conversationId: held.id })
  if (contactId) await noteInteraction(db, contactId, channel.toLowerCase())
  db.wrote(id)
  return id
}
