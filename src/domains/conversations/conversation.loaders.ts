import DataLoader from 'dataloader'
import { sql } from 'kysely'
import { type Context, columnOf, param, Statement } from '../../database/index.js'
import { AppError } from '../../shared/errors.js'
import type { User } from '../accounts/user.entity.js'
import type { Campaign } from '../campaigns/campaign.entity.js'
import type { Contact } from '../contacts/contact.entity.js'
import type { Opportunity } from '../opportunities/opportunity.entity.js'
import type { Sector } from '../reference/sector.entity.js'
import type { AiAgent } from './ai-agent.entity.js'
import type { Message } from './conversation.entity.js'

/** How pg is to bring what it would else bring in a form that is none of the API's. */
const CASTS: Record<string, string> = { value: '::float8', expectedCloseDate: '::text' }

/** A loader of records by id: one statement for all that a request asks for. */
function recordLoader<Record extends { id: string }>(table: string, names: readonly (keyof Record & string)[]) {
  const column = (name: string) =>
    sql`${sql.ref(`r.${columnOf(name)}`)}${sql.raw(CASTS[name] ?? '')} as ${sql.ref(name)}`
  const statement = new Statement<Record>(
    sql<Record>`select ${sql.join(names.map(column))} from ${sql.table(table)} r
      where r.account_id = ${param('account')} and r.id = any(${param('ids')}::uuid[])`,
    { prepared: true },
  )
  return ({ db }: Context): DataLoader<string, Record | null> =>
    new DataLoader(async (ids) => {
      const found = new Map((await db.rows(statement, { ids })).map((row) => [row.id, row]))
      return ids.map((id) => found.get(id) ?? null)
    })
}

export const contactLoader = recordLoader<Contact>('contact', [
  ...(['id', 'name', 'email', 'phone', 'company', 'title', 'location', 'linkedinProfileUrl', 'headline'] as const),
  ...(['about', 'profilePicture', 'extractedContacts', 'source', 'sourceChannel', 'customFields'] as const),
  ...(['lastInteraction', 'createdAt', 'updatedAt'] as const),
])
export const opportunityLoader = recordLoader<Opportunity>('opportunity', [
  ...(['id', 'title', 'value', 'currency', 'probability', 'expectedCloseDate', 'pipelineId', 'stageId'] as const),
  ...(['campaignId', 'ownerUserId', 'sectorId', 'discardReasonId', 'contactId', 'score', 'source', 'notes'] as const),
  ...(['sentAt', 'acceptedAt', 'qualifyingStartedAt', 'qualifiedAt', 'scheduledAt', 'wonAt', 'lostAt'] as const),
  ...(['lossReason', 'discardedAt', 'createdAt', 'updatedAt'] as const),
])
export const campaignLoader = recordLoader<Campaign>('campaign', [
  ...(['id', 'name', 'description', 'status', 'channel', 'automationActive', 'sectorId'] as const),
  ...(['defaultResponsibleId', 'createdAt', 'updatedAt'] as const),
])
export const aiAgentLoader = recordLoader<AiAgent>('ai_agent', [
  ...(['id', 'name', 'type', 'isActive', 'createdAt', 'updatedAt'] as const),
])
export const userLoader = recordLoader<User>('app_user', [
  ...(['id', 'name', 'email', 'role', 'sectorId', 'isActive', 'createdAt'] as const),
])
export const sectorLoader = recordLoader<Sector>('sector', [
  ...(['id', 'name', 'description', 'color', 'isActive', 'createdAt', 'updatedAt'] as const),
])

export const MAX_MESSAGES = 500
// Of all conversations that a query asks for messages of; more would be a copy of the inbox in one answer.
const MAX_MESSAGES_OF_QUERY = 10_000

const messages = new Statement<Message & { conversationId: string }>(
  sql`select m.conversation_id as "conversationId", m.id, m.sender_type as "senderType", m.content, m.channel,
      m.sent_at as "sentAt", m.read_at as "readAt", m.created_at as "createdAt"
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
