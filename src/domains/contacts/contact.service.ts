import type { EntityManager } from '@mikro-orm/postgresql'
import { eraseKeptAnswers, RunAgain, rowLock, type Scope, violates } from '../../database/index.js'
import type { DeletedRecord } from '../../kit/deleted.js'
import { extractedContactsOf } from '../../kit/extracted-contacts.js'
import type { Selection } from '../../kit/selection.js'
import { notFound } from '../../shared/errors.js'
import { given } from '../../shared/given.js'
import { isUuid } from '../../shared/ids.js'
import type { Tag } from '../reference/tag.entity.js'
import { Contact, ContactTag, EMAIL_INDEX } from './contact.entity.js'
import { contactChanged, contactDeleted } from './contact.facts.js'
import type { UpdateContactInput } from './contact.inputs.js'
import { type ContactRow, contactReads } from './contact.reads.js'
import { duplicateEmail, emailTaken, holdTags, lookUp, phoneOf } from './contact-lookup.service.js'
import { seesContact } from './contact-own.service.js'

/** Changes the given fields of a contact; tags, when given, replace all it has. What changes nothing leaves no trace. */
export function updateContact(
  db: Scope,
  id: string,
  input: UpdateContactInput,
  selection: Selection,
): Promise<ContactRow> {
  return db.unitOfWork(async (em) => {
    const { tagIds, extractedContacts, ...fields } = input
    holdTags(db, tagIds)
    // While the contact is held: were two to swap their emails, one of them finds here that the other's is taken.
    const held = lockContact(em, db, id)
    const { country, taken, tags } = await lookUp(db, input)
    const contact = await held()
    if (taken && taken !== contact.id) throw await duplicateEmail(db, taken)
    Object.assign(contact, given(fields))
    if (fields.phone !== undefined) contact.phone = phoneOf(fields.phone, country)
    if (extractedContacts !== undefined) contact.extractedContacts = extractedContactsOf(extractedContacts)
    if (tagIds !== undefined) await replaceTags(em, contact, tags)
    if (await flush(em)) await db.announce(contactChanged, { contactId: contact.id })
    db.wrote(contact.id)
    return (await contactReads.find(db, contact.id, selection))!
  })
}

/**
 * Deletes a contact with everything personal that is kept of it: its notes and visits, what the domains above keep of
 * it, and the answers kept for repeats of calls that wrote it. What refers to it stays, without it.
 */
export function deleteContact(db: Scope, id: string): Promise<DeletedRecord> {
  return db.unitOfWork(async (em) => {
    const contact = await lockContact(em, db, id)()
    await db.announce(contactDeleted, { contactId: contact.id })
    await em.nativeDelete(Contact, { id: contact.id, accountId: db.accountId })
    await eraseKeptAnswers(db, [contact.id])
    return { id: contact.id, deleted: true }
  })
}

/** The lock of contacts; of all that hangs together with a contact it is the first to be taken. */
export const contactLock = rowLock('contact')

/** Locks a contact until the transaction ends, so that parallel changes of it come one after the other, and reads it then. */
function lockContact(em: EntityManager, db: Scope, id: string): () => Promise<Contact> {
  if (isUuid(id)) contactLock.toChange(db, id)
  return async () => {
    const contact = isUuid(id) ? await em.findOne(Contact, { id, accountId: db.accountId }) : null
    if (!contact || !(await seesContact(db, id))) throw notFound('contact')
    return contact
  }
}

function addTags(em: EntityManager, contact: Contact, tags: readonly Tag[]): void {
  for (const tag of tags) em.create(ContactTag, { contact, tag: tag.id, accountId: contact.accountId })
}

async function replaceTags(em: EntityManager, contact: Contact, tags: readonly Tag[]): Promise<void> {
  const present = await em.find(ContactTag, { contact })
  const wanted = new Set(tags.map(({ id }) => id))
  const superfluous = present.filter(({ tag }) => !wanted.delete(tag.id))
  const missing = tags.filter(({ id }) => wanted.has(id))
  if (superfluous.length + missing.length === 0) return
  for (const link of superfluous) em.remove(link)
  addTags(em, contact, missing)
  contact.updatedAt = new Date() // the database puts its own clock's time there
}

/**
 * Writes what has changed, and tells whether anything has. The unique index decides between parallel writers; the one that
 * lost looks again, and then sees the winner.
 */
async function flush(em: EntityManager): Promise<boolean> {
  const changes = em.getUnitOfWork()
  changes.computeChangeSets()
  const changed = changes.getChangeSets().length > 0
  try {
    await em.flush()
    return changed
  } catch (error) {
    if (!violates(error, EMAIL_INDEX)) throw error
    throw new RunAgain('the email was taken meanwhile', { cause: error, lost: emailTaken() })
  }
}
