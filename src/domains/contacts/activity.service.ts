import type { EntityManager } from '@mikro-orm/postgresql'
import { columnOf, type Scope } from '../../database/index.js'
import { tellChange } from '../../kit/changes.js'
import type { DeletedRecord } from '../../kit/deleted.js'
import type { Selection } from '../../kit/selection.js'
import { notFound } from '../../shared/errors.js'
import { isUuid } from '../../shared/ids.js'
import type { ContactNoteInput, RecordTouchInput } from './activity.inputs.js'
import { Contact, ContactNote } from './contact.entity.js'
import { contactChanged } from './contact.facts.js'
import { type ContactRow, contactReads } from './contact.reads.js'
import { seesContact } from './contact-own.service.js'
import { ContactTouch } from './touch.entity.js'

/** Notes something on a contact. */
export function addNote(db: Scope, contactId: string, { note }: ContactNoteInput): Promise<ContactNote> {
  return db.unitOfWork(async (em) => {
    await markContactChanged(em, db, contactId)
    const added = em.create(ContactNote, { note, contact: contactId, accountId: db.accountId })
    await em.flush()
    return added
  })
}

/** Changes the text of a note. */
export function updateNote(db: Scope, id: string, { note }: ContactNoteInput): Promise<ContactNote> {
  return db.unitOfWork(async (em) => {
    const found = await findNote(em, db, id)
    if (found.note === note) return found
    await markContactChanged(em, db, found.contact.id)
    const changed = await em.nativeUpdate(ContactNote, { id, accountId: db.accountId }, { note })
    if (changed === 0) throw notFound('note') // deleted while this waited for the contact
    return { ...found, note }
  })
}

/** Deletes a note. */
export function deleteNote(db: Scope, id: string): Promise<DeletedRecord> {
  return db.unitOfWork(async (em) => {
    const found = await findNote(em, db, id)
    await markContactChanged(em, db, found.contact.id)
    const deleted = await em.nativeDelete(ContactNote, { id, accountId: db.accountId })
    if (deleted === 0) throw notFound('note') // deleted while this waited for the contact
    await tellChange(db, 'contact_note', found.id, 'deleted')
    return { id: found.id, deleted: true }
  })
}

/** Records a visit of a contact; its attribution follows from all of them. */
export function recordTouch(
  db: Scope,
  contactId: string,
  input: RecordTouchInput,
  selection: Selection,
): Promise<ContactRow> {
  return db.unitOfWork(async (em) => {
    await markContactChanged(em, db, contactId)
    const { occurredAt, ...sent } = input
    const given = Object.entries(sent).filter(([, value]) => value !== undefined && value !== null)
    const raw = Object.fromEntries(given.map(([name, value]) => [columnOf(name), value]))
    const { channel, landingUrl, utmSource, utmMedium, utmCampaign } = sent
    const columns = { channel, landingUrl, utmSource, utmMedium, utmCampaign }
    em.create(ContactTouch, {
      ...columns,
      raw,
      contact: contactId,
      accountId: db.accountId,
      occurredAt: occurredAt ?? new Date(),
    })
    await em.flush()
    return (await contactReads.find(db, contactId, selection))!
  })
}

async function findNote(em: EntityManager, db: Scope, id: string): Promise<ContactNote> {
  const note = isUuid(id) ? await em.findOne(ContactNote, { id, accountId: db.accountId }) : null
  if (!note || !(await seesContact(db, note.contact.id))) throw notFound('note')
  return note
}

/** What a contact shows has changed, so its time of change does; NOT_FOUND where the account has no such contact. */
async function markContactChanged(em: EntityManager, db: Scope, id: string): Promise<void> {
  const where = { id, accountId: db.accountId }
  const changed = isUuid(id) ? await em.nativeUpdate(Contact, where, { updatedAt: new Date() }) : 0
  if (changed === 0 || !(await seesContact(db, id))) throw notFound('contact')
  await db.announce(contactChanged, { contactId: id })
}
