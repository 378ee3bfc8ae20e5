import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { ERASED_TITLE } from './opportunity.entity.js'
import { contactUnlinked } from './opportunity.facts.js'

const lock = new Statement<never>(
  sql<never>`select from opportunity where account_id = ${param('account')} and contact_id = ${param('contactId')}
    order by id for no key update`,
  { prepared: true },
)

// A trigger takes the copies of the contact's fields off. What was written about the lead goes, what was sold stays.
const unlink = new Statement<never>(
  sql<never>`with mine as (
      update opportunity set contact_id = null, title = ${sql.lit(ERASED_TITLE)}, notes = null, loss_reason = null
      where account_id = ${param('account')} and contact_id = ${param('contactId')} returning id),
    remarks as (
      update opportunity_history h set notes = null from mine
      where h.account_id = ${param('account')} and h.opportunity_id = mine.id and h.notes is not null)
    delete from opportunity_comment m using mine
    where m.account_id = ${param('account')} and m.opportunity_id = mine.id`,
  { prepared: true },
)

/** Parts the opportunities of a contact that is locked from it, and takes off them what may tell of the person. */
export async function unlinkOpportunities(db: Scope, { contactId }: { contactId: string }): Promise<void> {
  db.send(lock, { contactId })
  await db.announce(contactUnlinked, { contactId })
  db.send(unlink, { contactId })
}
