import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { AppError } from '../../shared/errors.js'
import { contactChanged } from './contact.facts.js'

/** What came of tags for a contact. */
interface Given {
  /** Whether the contact is there. */
  isThere: boolean
  /** Those of the tags that the account has, and of these those that the contact did not have before. */
  known: string[]
  given: string[]
}

const give = new Statement<Given>(
  sql<Given>`with known as (
      select id from tag where account_id = ${param('account')} and id = any(${param('tagIds')}::uuid[])),
    carrier as (
      select id from contact where account_id = ${param('account')} and id = ${param('contactId')}),
    given as (
      insert into contact_tag (account_id, contact_id, tag_id)
      select ${param('account')}::uuid, carrier.id, known.id from carrier, known
      on conflict do nothing returning tag_id),
    changed as (
      update contact set updated_at = now()
      where account_id = ${param('account')} and id = ${param('contactId')} and exists (select from given))
    select exists (select from carrier) as "isThere", array(select id from known) as known,
      array(select tag_id from given) as given`,
  { prepared: true },
)

/**
 * Gives a contact tags besides those that it has; all are held by the open transaction, the tags first (`holdTags`). Those
 * that it has already change nothing.
 */
export async function giveTags(db: Scope, contactId: string, tagIds: readonly string[]): Promise<Given> {
  const came = (await db.rows(give, { contactId, tagIds }))[0]!
  if (came.given.length > 0) await db.announce(contactChanged, { contactId })
  return came
}

/** Gives a contact, which is there, one tag; one that the account does not have is a VALIDATION_ERROR. */
export async function giveTag(db: Scope, contactId: string, tagId: string): Promise<void> {
  const { known } = await giveTags(db, contactId, [tagId])
  if (known.length === 0) throw new AppError('VALIDATION_ERROR', 'There is no such tag in this account.')
}
