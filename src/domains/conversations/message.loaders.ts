import DataLoader from 'dataloader'
import { sql } from 'kysely'
import { type Context, param, type Scope, Statement } from '../../database/index.js'
import { columnsOf } from '../../kit/reads/index.js'
import { AppError } from '../../shared/errors.js'
import { isUuid } from '../../shared/ids.js'
import { ConversationNote } from './conversation-note.entity.js'
import { Message } from './message.entity.js'

export const MAX_MESSAGES = 500
// Of all conversations that a query asks for messages of; more would be a copy of the inbox in one answer.
const MAX_MESSAGES_OF_QUERY = 10_000

const messages = new Statement<Message & { conversationId: string }>(
  sql`select m.conversation_id as "conversationId", ${columnsOf(Message, 'm')}
    from unnest(${param('ids')}::uuid[]) wanted (id) cross join lateral (
      select * from message m where m.account_id = ${param('account')} and m.conversation_id = wanted.id
      order by m.sent_at desc, m.id desc limit ${param('limit')}) m
    order by m.sent_at, m.id`,
)

/** Loads the newest messages of conversations, oldest first; a request has a bound for all of them together. */
export class MessagesLoader {
  private readonly loaders = new Map<number, DataLoader<string, Message[]>>()
  private left = MAX_MESSAGES_OF_QUERY

  constructor(private readonly context: Context) {}

  load(conversationId: string, limit: number): Promise<Message[]> {
    const bounded = Math.min(Math.max(limit, 1), MAX_MESSAGES)
    let loader = this.loaders.get(bounded)
    if (!loader) {
      loader = new DataLoader((ids) => this.read(ids, bounded))
      this.loaders.set(bounded, loader)
    }
    return loader.load(conversationId)
  }

  private async read(ids: readonly string[], limit: number): Promise<Message[][]> {
    this.left -= ids.length * limit
    if (this.left < 0) {
      const message = `The query may ask for ${MAX_MESSAGES_OF_QUERY} messages at most, of all conversations together.`
      throw new AppError('QUERY_TOO_COMPLEX', message)
    }
    const found = new Map<string, Message[]>(ids.map((id) => [id, []]))
    for (const row of await this.context.db.rows(messages, { ids, limit })) found.get(row.conversationId)!.push(row)
    return ids.map((id) => found.get(id)!)
  }
}

export const messagesLoader = (context: Context): MessagesLoader => new MessagesLoader(context)

const one = new Statement<Message>(
  sql`select ${columnsOf(Message, 'm')} from message m where m.account_id = ${param('account')} and m.id = ${param('id')}`,
)

/** A message that is there. */
export async function readMessage(db: Scope, id: string): Promise<Message> {
  return (await db.rows(one, { id }))[0]!
}

const seen = new Statement<Message>(
  sql`select ${columnsOf(Message, 'm')} from message m
      join conversation c on c.account_id = m.account_id and c.id = m.conversation_id
    where m.account_id = ${param('account')} and m.id = ${param('id')}::uuid
      and (${param('ownerScope')}::uuid is null or c.assigned_user_id = ${param('ownerScope')}::uuid)`,
  { prepared: true },
)

/** A message as the viewer sees it; undefined where they see none. */
export async function findMessage(db: Scope, id: string): Promise<Message | undefined> {
  return isUuid(id) ? (await db.rows(seen, { id }))[0] : undefined
}

const notes = new Statement<ConversationNote & { conversationId: string }>(
  sql`select n.conversation_id as "conversationId", ${columnsOf(ConversationNote, 'n')} from conversation_note n
    where n.account_id = ${param('account')} and n.conversation_id = any(${param('ids')}::uuid[])
    order by n.created_at, n.id`,
)

/** Loads the notes of conversations, oldest first. */
export const notesLoader = ({ db }: Context): DataLoader<string, ConversationNote[]> =>
  new DataLoader(async (ids) => {
    const found = Map.groupBy(await db.rows(notes, { ids }), ({ conversationId }) => conversationId)
    return ids.map((id) => found.get(id) ?? [])
  })
