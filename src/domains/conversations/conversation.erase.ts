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
 * concluded from them go, the conversations stay. To be called in the transaction that deletes the contact, before it.
 */
export async function eraseContactMessages(db: Scope, contactId: string): Promise<void> {
  await db.rows(lock, { contactId })
  await db.rows(erase, { contactId })
}
