import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { AppError } from '../../shared/errors.js'
import { contactChanged } from './contact.facts.js'

const give = new Statement<{ known: boolean; given: boolean }>(
  sql<{ known: boolean; given: boolean }>`with known as (
      select id from tag where account_id = ${param('account')} and id = ${param('tagId')}),
    given as (
      insert into contact_tag (account_id, contact_id, tag_id)
      select ${param('account')}::uuid, ${param('contactId')}::uuid, id from known
      on conflict do nothing returning contact_id),
    changed as (
      update contact set updated_at = now()
      where account_id = ${param('account')} and id in (select contact_id from given) returning id)
    select exists (select from known) as known, exists (select from changed) as given`,
  { prepared: true },
)

/**
 * Gives a contact one tag more; both are held by the open transaction, the tag first (`holdTags`). One that it has already
 * changes nothing; one that the account does not have is a VALIDATION_ERROR.
 */
export async function giveTag(db: Scope, contactId: string, tagId: string): Promise<void> {
  const { known, given } = (await db.rows(give, { contactId, tagId }))[0]!
  if (!known) throw new AppError('VALIDATION_ERROR', 'There is no such tag in this account.')
  if (given) await db.announce(contactChanged, { contactId })
}
