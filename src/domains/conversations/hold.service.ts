import { sql } from 'kysely'
import { param, RunAgain, type Scope, Statement } from '../../database/index.js'
import { notFound } from '../../shared/errors.js'
import { isUuid } from '../../shared/ids.js'
import { contactLock } from '../contacts/index.js'
import type { ConversationStatus } from './conversation.entity.js'

/** A conversation that the open transaction holds. */
export interface HeldConversation {
  id: string
  status: ConversationStatus
  channel: string
  contactId: string | null
  aiAgentId: string | null
  assignedUserId: string | null
  channelAccountId: string | null
  /** The contact, or that of its opportunity: whom what is written in it may tell of. */
  personId: string | null
  /** Whether its agent is there and works. */
  hasAgent: boolean
}

const columns = sql`c.id, c.status, c.channel, c.contact_id as "contactId", c.ai_agent_id as "aiAgentId",
  c.assigned_user_id as "assignedUserId", c.channel_account_id as "channelAccountId",
  coalesce(c.contact_id, (select o.contact_id from opportunity o
    where o.account_id = c.account_id and o.id = c.opportunity_id)) as "personId",
  exists (select from ai_agent a where a.account_id = c.account_id and a.id = c.ai_agent_id and a.status = 'active'
    and a.deleted_at is null) as "hasAgent"`
const look = new Statement<HeldConversation>(
  sql<HeldConversation>`select ${columns} from conversation c where c.account_id = ${param('account')} and c.id = ${param('id')}::uuid`,
)
const lock = new Statement<HeldConversation>(
  sql<HeldConversation>`select ${columns} from conversation c
    where c.account_id = ${param('account')} and c.id = ${param('id')}::uuid for no key update of c`,
)

/** Holds a conversation, and its contact before it, until the open transaction ends; NOT_FOUND where the viewer sees none. */
export async function holdConversation(db: Scope, id: string): Promise<HeldConversation> {
  const [seen] = isUuid(id) ? await db.rows(look, { id }) : []
  if (!seen) throw notFound('conversation')
  if (seen.contactId) contactLock.toChange(db, seen.contactId)
  const [held] = await db.rows(lock, { id })
  const { ownerScope } = db.viewer
  if (!held || (ownerScope !== undefined && held.assignedUserId !== ownerScope)) throw notFound('conversation')
  if (held.contactId !== seen.contactId) throw new RunAgain('the conversation has another contact now')
  if (held.personId) db.wrote(held.personId) // once they are erased, so is what is kept of the answer
  return held
}
