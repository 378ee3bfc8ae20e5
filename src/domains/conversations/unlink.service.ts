import { type RawBuilder, sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { conversationErased } from './conversation.facts.js'

// A message that is being stored holds its conversation, so this waits for it, and the next statement sees it. In the order
// of their ids, as below: a contact and an opportunity of somebody else may go at once that share conversations.
const lock = new Statement<never>(
  sql<never>`select from conversation where account_id = ${param('account')} and contact_id = ${param('contactId')}
    order by id for update`,
)

const erase = new Statement(eraseWhere(sql`contact_id = ${param('contactId')}`))

/** A conversation that was erased, and the group that it was with. */
interface Erased extends Record<string, string | null> {
  conversationId: string
  channelAccountId: string | null
  groupId: string | null
}

/** Takes off conversations, and their messages, what may tell of a person. */
function eraseWhere(condition: RawBuilder<unknown>) {
  return sql<Erased>`with found as (
      select id, channel_account_id, group_id from conversation where account_id = ${param('account')} and ${condition}),
    erased as (
      update conversation c set contact_id = null, group_name = null, group_named_at = null, group_id = null,
        qualification_score = null, qualification_stage = null, qualification_reasons = null, objections_history = null
      from found where c.account_id = ${param('account')} and c.id = found.id
      returning c.id, found.channel_account_id, found.group_id),
    noted as (
      delete from conversation_note where account_id = ${param('account')}
        and conversation_id in (select id from erased)),
    emptied as (
      update message set content = '', error = null, author_name = null, provider_id = null, refers_to = null,
        template = null, status = case when status = 'queued' then 'failed' else status end,
        due_at = case when status = 'queued' then null else due_at end
      where account_id = ${param('account')} and conversation_id in (select id from erased))
    select id as "conversationId", channel_account_id as "channelAccountId", group_id as "groupId" from erased order by id`
}

async function eraseAll(db: Scope, statement: Statement<Erased>, contactId: string): Promise<void> {
  for (const erased of await db.rows(statement, { contactId })) await db.announce(conversationErased, erased)
}

/**
 * Takes a contact that is about to be deleted out of its conversations: the texts of their messages, notes of them and what
 * an agent concluded from them go, the conversations stay. What waits to be sent is not sent any more.
 */
export async function eraseContact(db: Scope, { contactId }: { contactId: string }): Promise<void> {
  await db.rows(lock, { contactId })
  await eraseAll(db, erase, contactId)
}

// One that is with somebody else stays: it is theirs.
const withNobody = sql`contact_id is null and opportunity_id in (
  select id from opportunity where account_id = ${param('account')} and contact_id = ${param('contactId')})`
const lockRest = new Statement<never>(
  sql<never>`select from conversation where account_id = ${param('account')} and ${withNobody} order by id for update`,
)
const eraseRest = new Statement(eraseWhere(withNobody))

/** The same for conversations that know the contact only by way of its opportunities. */
export async function eraseByOpportunity(db: Scope, { contactId }: { contactId: string }): Promise<void> {
  await db.rows(lockRest, { contactId })
  await eraseAll(db, eraseRest, contactId)
}

const unlink = new Statement<never>(
  sql<never>`update conversation set opportunity_id = null
    where account_id = ${param('account')} and id in (
      select id from conversation where account_id = ${param('account')} and opportunity_id = ${param('opportunityId')}
      order by id for no key update)`,
)

/** Takes an opportunity that is about to be deleted off its conversations. */
export async function unlinkOpportunity(db: Scope, { opportunityId }: { opportunityId: string }): Promise<void> {
  await db.rows(unlink, { opportunityId })
}
