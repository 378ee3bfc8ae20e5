import type { Scope } from '../../database/index.js'
import { notFound } from '../../shared/errors.js'
import { isUuid } from '../../shared/ids.js'
import { tagsNamed } from '../reference/index.js'
import { contactLock } from './contact.service.js'
import { seesContact } from './contact-own.service.js'
import { giveTags } from './contact-tag.service.js'
import type { AddContactTagsInput } from './tagging.inputs.js'
import type { AddedTags } from './tagging.types.js'

/** Gives a contact tags by their names, and the account those that it does not have. What it has already stays. */
export async function addTags(db: Scope, id: string, input: AddContactTagsInput): Promise<AddedTags> {
  const names = namesOf(input)
  if (!isUuid(id)) throw notFound('contact')
  const contactId = id.toLowerCase()
  return db.transaction(async () => {
    const { tags, createdIds } = await tagsNamed(db, names)
    contactLock.toChange(db, contactId)
    if (!(await seesContact(db, contactId))) throw notFound('contact')
    const tagIds = tags.map((tag) => tag.id)
    const { isThere, given } = await giveTags(db, contactId, tagIds)
    if (!isThere) throw notFound('contact')
    db.wrote(contactId)
    const namesBy = (some: readonly string[]) => tags.filter((tag) => some.includes(tag.id)).map(({ name }) => name)
    return { contactId, tags, added: namesBy(given), created: namesBy(createdIds) }
  })
}

/** Each name once, as it was first written. */
function namesOf({ names }: AddContactTagsInput): string[] {
  return [...new Map(names.toReversed().map((name) => [name.toLowerCase(), name])).values()]
}
