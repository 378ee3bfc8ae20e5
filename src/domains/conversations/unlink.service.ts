import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'

// A message that is being stored holds its conversation, so this waits for it, and the next statement sees it.
const lock = new Statement<never>(
  sql<never>`select from conversation where account_id = ${param('account')} and contact_id = ${param('contactId')}
    for update`,
)

const erase = new Statement<never>(
  sql<never>`with unlinked as (
      update conversation set contact_id = null, qualification_reasons = null, objections_history = null
      where account_id = ${param('account')} and contact_id = ${param('contactId')}
      returning id)
    update message set content = '' where account_id = ${param('account')}
      and conversation_id in (select id from unlinked)`,
)

/**
 * Takes a contact that is about to be deleted out of its conversations: the texts of their messages and what an agent
 * concluded from them go, the conversations stay.
 */
export async function eraseContact(db: Scope, { contactId }: { contactId: string }): Promise<void> {
  await db.rows(lock, { contactId })
  await db.rows(erase, { contactId })
}

const unlink = new Statement<never>(
  sql<never>`update conversation set opportunity_id = null
    where account_id = ${param('account')} and opportunity_id = ${param('opportunityId')}`,
)

/** Takes an opportunity that is about to be deleted off its conversations. */
export async function unlinkOpportunity(db: Scope, { opportunityId }: { opportunityId: string }): Promise<void> {
  await db.rows(unlink, { opportunityId })
}
