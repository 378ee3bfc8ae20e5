import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { notFound } from '../../shared/errors.js'
import { isUuid } from '../../shared/ids.js'
import { tagsNamed } from '../reference/index.js'
import { contactChanged } from './contact.facts.js'
import { contactLock } from './contact.service.js'
import { seesContact } from './contact-own.service.js'
import type { AddContactTagsInput } from './tagging.inputs.js'
import type { AddedTags } from './tagging.types.js'

const give = new Statement<{ known: boolean; ids: string[] }>(
  sql<{ known: boolean; ids: string[] }>`with known as (
      select id from contact where account_id = ${param('account')} and id = ${param('contactId')}),
    given as (
      insert into contact_tag (account_id, contact_id, tag_id)
      select ${param('account')}::uuid, known.id, tag_id from known, unnest(${param('tagIds')}::uuid[]) as tag_id
      on conflict do nothing returning tag_id),
    changed as (
      update contact set updated_at = now()
      where account_id = ${param('account')} and id = ${param('contactId')} and exists (select from given))
    select exists (select from known) as known, array(select tag_id from given) as ids`,
  { prepared: true },
)

/** Gives a contact tags by their names, and the account those that it does not have. What it has already stays. */
export async function addTags(db: Scope, id: string, input: AddContactTagsInput): Promise<AddedTags> {
  const names = namesOf(input)
  if (!isUuid(id)) throw notFound('contact')
  const contactId = id.toLowerCase()
  return db.transaction(async () => {
    const { tags, createdIds } = await tagsNamed(db, names)
    contactLock.toChange(db, contactId)
    if (!(await seesContact(db, contactId))) throw notFound('contact')
    const { known, ids } = (await db.rows(give, { contactId, tagIds: tags.map((tag) => tag.id) }))[0]!
    if (!known) throw notFound('contact')
    if (ids.length > 0) await db.announce(contactChanged, { contactId })
    db.wrote(contactId)
    const namesBy = (some: readonly string[]) => tags.filter((tag) => some.includes(tag.id)).map(({ name }) => name)
    return { contactId, tags, added: namesBy(ids), created: namesBy(createdIds) }
  })
}

/** Each name once, as it was first written. */
function namesOf({ names }: AddContactTagsInput): string[] {
  return [...new Map(names.toReversed().map((name) => [name.toLowerCase(), name])).values()]
}
