import { sql } from 'kysely'
import { param, RunAgain, type Scope, Statement, stores } from '../../database/index.js'
import { extractedContactsOf } from '../../kit/extracted-contacts.js'
import { fieldsGivenBy, fieldsOf, namedList } from '../../kit/reads/index.js'
import { AppError } from '../../shared/errors.js'
import { newId } from '../../shared/ids.js'
import { Tag } from '../reference/tag.entity.js'
import { Contact } from './contact.entity.js'
import { contactCreated } from './contact.facts.js'
import { CreateContactInput } from './contact.inputs.js'
import type { ContactRow } from './contact.reads.js'
import { countryOf, duplicateEmail, emailTaken, holdTags, lookUp, phoneOf } from './contact-lookup.service.js'
import { noteCreator } from './contact-own.service.js'

// What an input may give a contact, which is all that a new one has beside what the service notes.
const GIVEN = fieldsGivenBy(CreateContactInput, Contact)
const names = sql.join(GIVEN.map(({ column }) => sql.ref(column)))
const values = sql.join(GIVEN.map(({ name, type }) => (type === 'json' ? sql`${param(name)}::jsonb` : param(name))))
const NOTHING: Partial<Contact> = Object.fromEntries(fieldsOf(Contact).map(({ name }) => [name, null]))

interface Created {
  createdAt: Date
  updatedAt: Date
  tags: Tag[]
}

/**
 * The contact and its tags in one statement, where the unit of work takes two and a look before them: creating is what
 * integrators do most. No row means that the email is taken.
 */
const insert = new Statement<Created>(
  sql<Created>`with created as (
      insert into contact (id, account_id, ${names}) values (${param('id')}, ${param('account')}, ${values})
      on conflict (account_id, lower(email)) do nothing
      returning id, created_at, updated_at),
    tagged as (
      insert into contact_tag (account_id, contact_id, tag_id)
      select ${param('account')}, created.id, t.id from created, tag t
      where t.account_id = ${param('account')} and t.id = any(${param('tagIds')}::uuid[])
      returning tag_id),
    told as (${stores(contactCreated, 'created')})
    select created_at as "createdAt", updated_at as "updatedAt", (
      select ${namedList(Tag, 't')}
      from tag t where t.account_id = ${param('account')} and t.id in (select tag_id from tagged)) as tags
    from created`,
  { prepared: true },
)

/** Creates a contact with its tags; DUPLICATE_ERROR when another contact of the account has its email. */
export function createContact(db: Scope, input: CreateContactInput): Promise<ContactRow> {
  return db.transaction(async () => {
    const tags = new Set((input.tagIds ?? []).map((id) => id.toLowerCase()))
    const id = newId()
    const contact = {
      ...NOTHING,
      ...Object.fromEntries(GIVEN.map(({ name }) => [name, input[name as keyof CreateContactInput] ?? null])),
      id,
      phone: input.phone ? phoneOf(input.phone, await countryOf(db)) : null,
      source: input.source ?? 'api',
      extractedContacts: extractedContactsOf(input.extractedContacts),
    }
    const hearing = db.hearing(contactCreated)
    holdTags(db, input.tagIds)
    const [created] = await db.rows(insert, { ...columnsOf(contact), id, tagIds: [...tags], hearing })
    if (!created || created.tags.length < tags.size) return explain(db, input)
    await db.announce(contactCreated, { contactId: id }, { stored: true })
    noteCreator(db, id)
    db.wrote(id)
    return { ...contact, ...created }
  })
}

/** What the statement takes: objects as text, which it casts. */
function columnsOf(contact: ContactRow): Record<string, unknown> {
  const valueIn = (name: string, type: string) => {
    const value = contact[name as keyof ContactRow]
    return type === 'json' && value ? JSON.stringify(value) : value
  }
  return Object.fromEntries(GIVEN.map(({ name, type }) => [name, valueIn(name, type)]))
}

/**
 * Creates the contact of a person who was looked for and not found, inside an open transaction, and returns its id. One
 * with this email that appears at this moment is the one that was looked for: the transaction runs again.
 */
export async function createUnmatched(db: Scope, input: CreateContactInput): Promise<string> {
  try {
    return (await createContact(db, input)).id
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'DUPLICATE_ERROR') throw error
    throw new RunAgain('the contact was created meanwhile', { cause: error, lost: error })
  }
}

/** Throws the reason for which a contact could not be created as asked. */
async function explain(db: Scope, input: CreateContactInput): Promise<never> {
  const { taken } = await lookUp(db, input)
  if (taken) throw await duplicateEmail(db, taken)
  throw new RunAgain('what was in the way is gone', { lost: emailTaken() })
}
