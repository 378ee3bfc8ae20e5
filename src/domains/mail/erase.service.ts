import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'

const eraseMails = new Statement<never>(
  sql<never>`with held as (
      select id from mail where account_id = ${param('account')} and contact_id = ${param('contactId')}
      order by id for no key update)
    update mail set contact_id = null, recipient = null, subject = null, html = null, "text" = null, error = null,
      status = case when status = 'queued' then 'suppressed' else status end,
      due_at = case when status = 'queued' then null else due_at end
    where account_id = ${param('account')} and id in (select id from held)`,
)

const unlinkSuppression = new Statement<never>(
  sql<never>`update mail_suppression set contact_id = null
    where account_id = ${param('account')} and contact_id = ${param('contactId')}`,
)

/**
 * Takes off mails what tells of a contact that is about to be deleted, and sends none that is queued. That the person
 * wants no mail stays known.
 */
export async function eraseContact(db: Scope, { contactId }: { contactId: string }): Promise<void> {
  await db.rows(eraseMails, { contactId })
  await db.rows(unlinkSuppression, { contactId })
}
