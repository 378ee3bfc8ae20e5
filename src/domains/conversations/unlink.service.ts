import { type RawBuilder, sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'

// A message that is being stored holds its conversation, so this waits for it, and the next statement sees it. In the order
// of their ids, as below: a contact and an opportunity of somebody else may go at once that share conversations.
const lock = new Statement<never>(
  sql<never>`select from conversation where account_id = ${param('account')} and contact_id = ${param('contactId')}
    order by id for update`,
)

const erase = new Statement<never>(eraseWhere(sql`contact_id = ${param('contactId')}`))

/** Takes off conversations, and their messages, what may tell of a person. */
function eraseWhere(condition: RawBuilder<unknown>) {
  return sql<never>`with erased as (
      update conversation set contact_id = null, group_name = null, qualification_score = null,
        qualification_stage = null, qualification_reasons = null, objections_history = null
      where account_id = ${param('account')} and ${condition}
      returning id)
    update message set content = '' where account_id = ${param('account')}
      and conversation_id in (select id from erased)`
}

/**
 * Takes a contact that is about to be deleted out of its conversations: the texts of their messages and what an agent
 * concluded from them go, the conversations stay.
 */
export async function eraseContact(db: Scope, { contactId }: { contactId: string }): Promise<void> {
  await db.rows(lock, { contactId })
  await db.rows(erase, { contactId })
}

// One that is with somebody else stays: it is theirs.
const withNobody = sql`contact_id is null and opportunity_id in (
  select id from opportunity where account_id = ${param('account')} and contact_id = ${param('contactId')})`
const lockRest = new Statement<never>(
  sql<never>`select from conversation where account_id = ${param('account')} and ${withNobody} order by id for update`,
)
const eraseRest = new Statement<never>(eraseWhere(withNobody))

/** The same for conversations that know the contact only by way of its opportunities. */
export async function eraseByOpportunity(db: Scope, { contactId }: { contactId: string }): Promise<void> {
  await db.rows(lockRest, { contactId })
  await db.rows(eraseRest, { contactId })
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
