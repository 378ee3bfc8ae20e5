import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import type { Selection } from '../../kit/selection.js'
import { AppError, invalid } from '../../shared/errors.js'
import { isUuid, newId } from '../../shared/ids.js'
import { ConversationStatus } from './conversation.entity.js'
import type { ConversationNoteInput, SendMessageInput } from './conversation.inputs.js'
import { type ConversationRow, conversationReads } from './conversation.reads.js'
import { ConversationNote } from './conversation-note.entity.js'
import { type HeldConversation, holdConversation } from './hold.service.js'
import { type Message, SenderType } from './message.entity.js'
import { readMessage } from './message.loaders.js'
import { queueMessage } from './message-store.service.js'
import { requireSendable } from './sendable.service.js'

const refused = (message: string) => new AppError('VALIDATION_ERROR', message)

const set = new Statement<never>(
  sql<never>`update conversation set status = ${param('status')}, assigned_user_id = ${param('assignedUserId')}
    where account_id = ${param('account')} and id = ${param('id')}`,
)

function put(
  db: Scope,
  held: HeldConversation,
  change: Partial<Pick<HeldConversation, 'status' | 'assignedUserId'>>,
): void {
  const { id, status, assignedUserId } = { ...held, ...change }
  db.send(set, { id, status, assignedUserId })
  db.wrote(id)
}

/** Whose it is once a person acts in it: theirs, unless it is somebody's already. */
const ownerAfter = ({ viewer }: Scope, { assignedUserId }: HeldConversation) =>
  assignedUserId ?? viewer.actor.userId ?? null

/** Sends a message as a person of the account, who has the conversation from then on. It is stored, and sent right after; what is in the way is an error. */
export function sendMessage(db: Scope, conversationId: string, { text }: SendMessageInput): Promise<Message> {
  return db.transaction(async () => {
    const held = await holdConversation(db, conversationId)
    await requireSendable(db, held)
    put(db, held, { status: ConversationStatus.MANUAL, assignedUserId: ownerAfter(db, held) })
    const userId = db.viewer.actor.userId ?? null
    return readMessage(db, await queueMessage(db, held, { senderType: SenderType.USER, content: text, userId }))
  })
}

/** Notes something on a conversation, which is sent to nobody. */
export function addConversationNote(
  db: Scope,
  id: string,
  { content }: ConversationNoteInput,
): Promise<ConversationNote> {
  return db.unitOfWork(async (em) => {
    const held = await holdConversation(db, id)
    const userId = db.viewer.actor.userId ?? null
    const { accountId } = db
    const note = em.create(ConversationNote, {
      id: newId(),
      accountId,
      conversationId: held.id,
      content,
      userId,
      createdAt: new Date(),
    })
    await em.flush()
    db.wrote(note.id)
    return note
  })
}

type Change = (held: HeldConversation) => Partial<Pick<HeldConversation, 'status' | 'assignedUserId'>>

function change(db: Scope, id: string, selection: Selection, decide: Change): Promise<ConversationRow> {
  return db.transaction(async () => {
    const held = await holdConversation(db, id)
    put(db, held, decide(held))
    return (await conversationReads.find(db, held.id, selection))!
  })
}

/** Gives a conversation to people: its agent writes no more, not even what it is about to. */
export function takeOver(db: Scope, id: string, selection: Selection): Promise<ConversationRow> {
  return change(db, id, selection, (held) => ({
    status: ConversationStatus.MANUAL,
    assignedUserId: ownerAfter(db, held),
  }))
}

/** Gives a conversation back to its agent, which answers what comes from then on. */
export function handBack(db: Scope, id: string, selection: Selection): Promise<ConversationRow> {
  return change(db, id, selection, ({ aiAgentId, hasAgent }) => {
    if (!aiAgentId) throw refused('The conversation has no agent to hand it back to.')
    if (!hasAgent) throw refused('The agent of the conversation does not work now.')
    return { status: ConversationStatus.ACTIVE }
  })
}

/** Ends a conversation: nobody answers until the person writes again, or somebody writes to them. */
export function closeConversation(db: Scope, id: string, selection: Selection): Promise<ConversationRow> {
  return change(db, id, selection, () => ({ status: ConversationStatus.CLOSED }))
}

// Whoever is deactivated meanwhile waits, or is seen to be.
const user = new Statement<{ id: string }>(
  sql<{ id: string }>`select id from app_user
    where account_id = ${param('account')} and id = ${param('id')}::uuid and is_active for share`,
)

/** Has a user look after a conversation, or nobody. */
export function assign(
  db: Scope,
  id: string,
  userId: string | null | undefined,
  selection: Selection,
): Promise<ConversationRow> {
  return db.transaction(async () => {
    const held = await holdConversation(db, id)
    const [found] = userId && isUuid(userId) ? await db.rows(user, { id: userId }) : []
    if (typeof userId === 'string' && !found)
      throw invalid([{ path: ['userId'], message: 'must be an active user of the account' }])
    put(db, held, { assignedUserId: found?.id ?? null })
    return (await conversationReads.find(db, held.id, selection))!
  })
}
